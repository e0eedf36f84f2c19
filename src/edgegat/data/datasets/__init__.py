"""Public data sets, each as one `EdgeGraph`. None of them comes with the package."""

from edgegat.data.datasets.ethereum_phishing import EthereumPhishing as EthereumPhishing
from edgegat.data.datasets.graph_dataset import GraphDataset as GraphDataset
from edgegat.data.datasets.planetoid import Planetoid as Planetoid
