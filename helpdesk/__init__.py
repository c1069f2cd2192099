"""A help desk that speaks MCP: tickets, who may see and change them, over stdio and HTTP.

Three layers, each with files of its own. Data and rules (`db`, `service`, `errors`, `world`) know no
protocol. The tool adapter (`tools`, `schemas`, `words`) turns rules into tools. Transport and identity
(`app`, `wire`, `stdio_main`, `http_main`, `auth`) know how bytes arrive and who is calling.
"""

__version__ = "0.1.0"
