"""A bundled small web on loopback, its truth and its clock."""
