"""A gate behind a Countersign server, with nothing but Python's standard library.

    gate = Gate("http://localhost:4747", os.environ["COUNTERSIGN_KEY"])
    delete = gate.tool("files.delete", {"path": "string"}, os.remove, destructive=True)
    outcome = delete(path="/tmp/report")

The server judges, asks people and keeps the record; the function runs here, once, with the arguments that were approved.
"""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid


class Refused(Exception):
    """The gate did not take the call: nothing has run."""


class Gate:
    def __init__(self, url, key, session=None, patience=30):
        self._url = url.rstrip("/")
        self._key = key
        self._session = {} if session is None else {"sessionId": session}
        self._patience = patience

    def tool(self, name, fields, execute, **declared):
        """Makes a tool known and gives the function to call instead. `fields` are its arguments and their JSON types."""
        schema = {
            "type": "object",
            "properties": {field: {"type": kind} for field, kind in fields.items()},
            "required": list(fields),
            "additionalProperties": False,
        }
        self._send("POST", "/v1/tools", {"tools": [{"name": name, "inputSchema": schema, **declared}]})
        return lambda wait=None, **args: self.run(name, args, execute, wait)

    def run(self, name, args, execute, wait=None):
        """Asks, waits at most `wait` seconds for a person, and runs. The outcome's `type` says what came of it; `pending` can be
        gone on with later by `resume`, after any restart."""
        # The key is fixed before the first try: a try whose answer was lost and the next one are one call.
        key = {"Idempotency-Key": str(uuid.uuid4())}
        outcome = self._send("POST", "/v1/calls", {"tool": name, "args": args, **self._session}, key)
        return self._go_on(outcome, execute, wait)

    def resume(self, approval_id, execute, wait=None):
        return self._go_on(self._send("GET", f"/v1/calls/{approval_id}{self._query()}"), execute, wait)

    def _go_on(self, outcome, execute, wait):
        until = None if wait is None else time.monotonic() + wait
        while outcome["type"] == "pending" and "token" not in outcome:
            left = 25 if until is None else min(25, int(until - time.monotonic()))
            if left <= 0:
                return outcome
            # Answered when something has changed, and after `wait` seconds at the latest.
            outcome = self._send("GET", f"/v1/calls/{outcome['approvalId']}{self._query(wait=left)}")
        return self._claim(outcome, execute) if outcome["type"] == "pending" else outcome

    def _claim(self, outcome, execute):
        path = f"/v1/calls/{outcome['approvalId']}/claim"
        claim = self._send("POST", path, self._session, {"Idempotency-Key": str(uuid.uuid4())})
        receipt = {"approvalId": claim["approvalId"], "claimId": claim["claimId"], **self._session}
        try:
            # These, not those that were asked for: a person may have changed them.
            result = execute(**claim["args"])
        except Exception as error:
            return self._report({**receipt, "type": "failed", "error": str(error)})
        return self._report({**receipt, "type": "succeeded", "result": result})

    def _report(self, receipt):
        """It has run. A server that cannot be told makes the record unknown, and so is the caller told."""
        try:
            return self._send("POST", "/v1/tokens/finish", receipt)
        except Refused as refused:
            return {"type": "unknown", "approvalId": receipt["approvalId"], "message": f"It ran; {refused}"}

    def _query(self, **given):
        pairs = {**given, **self._session}
        return "?" + urllib.parse.urlencode(pairs) if pairs else ""

    def _send(self, method, path, body=None, headers=None):
        """Tries again for a while when nobody answers or the server says that waiting helps; whatever else is wrong is refused."""
        until = time.monotonic() + self._patience
        pause = 0.25
        while True:
            try:
                return self._once(method, path, body, headers or {})
            except urllib.error.HTTPError as error:
                problem = _json(error.read())
                # A denial comes as 403, with its outcome.
                if problem.get("type") == "denied":
                    return problem
                after, why = float(error.headers.get("Retry-After") or pause), problem.get("detail", str(error))
                mended_by_waiting = problem.get("retryable") is True or error.code == 503
            except (urllib.error.URLError, OSError) as error:
                after, why, mended_by_waiting = pause, f"no server answers at {self._url} ({error})", True
            if not mended_by_waiting or time.monotonic() + after >= until:
                raise Refused(why)
            time.sleep(after)
            pause = min(10, pause * 2)

    def _once(self, method, path, body, headers):
        request = urllib.request.Request(
            self._url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._key}", "Content-Type": "application/json", **headers},
        )
        with urllib.request.urlopen(request, timeout=40) as response:
            return _json(response.read())


def _json(text):
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {}
