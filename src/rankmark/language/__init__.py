"""What was asked: measures, parameters, choices, the registry of pages, plans, signatures, conventions."""
