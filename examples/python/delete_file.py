"""Deletes a file once a person has said yes: COUNTERSIGN_KEY=csk_... python3 delete_file.py FILE"""

import os
import sys

from countersign_gate import Gate, Refused


def delete(path):
    os.remove(path)
    return {"deleted": path}


try:
    gate = Gate(os.environ.get("COUNTERSIGN_URL", "http://localhost:4747"), os.environ["COUNTERSIGN_KEY"], patience=5)
    delete_file = gate.tool("files.delete", {"path": "string"}, delete, effect="write", destructive=True)
    outcome = delete_file(path=os.path.abspath(sys.argv[1]))
except Refused as refused:
    sys.exit(f"Not run: {refused}")
print(f"{outcome['type']}: {outcome['message']}")
sys.exit(0 if outcome["type"] == "succeeded" else 1)
