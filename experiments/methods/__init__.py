"""What is compared, one method a file.

Each has ``answer(graph, settings, seed, device) -> Answer``: it learns from the training nodes, may stop by the
validation nodes, and says something about every node. It never looks at the test nodes' labels.
"""
