"""Process 2: decides what runs when, and fans it out to the workers; database and pipes only."""
