"""What a person keeps or passes on: a view as text, JSON, Markdown or a picture, from the same view objects as the screens."""
