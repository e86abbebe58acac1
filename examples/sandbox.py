"""Drives the sandbox from another language, over HTTP alone: sends a code, reads it, verifies it.

    npx express-two-factor sandbox &
    python3 examples/sandbox.py [http://127.0.0.1:4010]
"""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request

origin = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:4010"
account = {"client": "100200", "key": "sandbox-key"}
phone = "573001234567"


def post(path, fields):
    """A form in, JSON out; the provider says no with a status of its own."""
    body = urllib.parse.urlencode(fields).encode()
    try:
        with urllib.request.urlopen(origin + path, body) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def next_code():
    """Waits for the newest code that reached the phone."""
    query = urllib.parse.urlencode({"phone": phone, "timeoutMs": 5000})
    with urllib.request.urlopen(f"{origin}/_sandbox/messages/wait?{query}") as response:
        return json.load(response)["code"]


def verify(code):
    return post("/v1/2fa/verification-code", {**account, "phone": phone, "app-name": "Acme", "code": code})


status, _ = post("/v1/2fa/send-sms", {**account, "phone": phone, "app-name": "Acme"})
print("sent", status)
code = next_code()
print("wrong code", verify("000000" if code != "000000" else "111111"))
print("right code", verify(code))

# Failures of production on demand: the code expires, the provider fails.
post("/v1/2fa/send-sms", {**account, "phone": phone, "app-name": "Acme"})
code = next_code()
post("/_sandbox/clock", {"advanceMs": 300_000, "phone": phone})
print("late code", verify(code))
post("/_sandbox/faults", {"kind": "acceptThenStatus", "status": 504, "operation": "sendSmsCode", "phone": phone})
print("gateway", post("/v1/2fa/send-sms", {**account, "phone": phone, "app-name": "Acme"}))
