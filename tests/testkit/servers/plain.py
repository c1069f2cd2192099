"""A server of the legacy era without any SDK, which can misbehave: plain.py TOOLS HOW.

HOW is one of banner, dies, silent, endless, toolless; nothing for a good one.
"""

import json
import sys

tools = json.loads(sys.argv[1])
how = sys.argv[2] if len(sys.argv) > 2 else ""

if how == "banner":
    print("plain server v1.0 starting up...", flush=True)
if how == "dies":
    sys.exit("plain server: no licence found")
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or how == "silent":
        continue
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "initialize":
        reply["result"] = {
            "protocolVersion": "2025-11-25",
            "capabilities": {} if how == "toolless" else {"tools": {}},
            "serverInfo": {"name": "plain", "version": "1"},
        }
    elif message["method"] == "tools/list":
        reply["result"] = {"tools": tools} | ({"nextCursor": "again"} if how == "endless" else {})
    else:
        reply["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(reply), flush=True)
