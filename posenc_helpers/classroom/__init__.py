"""What a cell shows: claims that are measured, figures, explorers, and exercises that check themselves."""
