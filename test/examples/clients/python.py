# Adds 100 animals and lists all: python3 python.py http://127.0.0.1:3000 KEY
import json, random, re, sys, time, uuid
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import Request, urlopen

base, key = sys.argv[1:]
pets = f"{base}/v1/pets"


def call(url, data=None, headers={}):
    """Repeats what a restart, a limit or a lost answer ends, for 30 seconds, and never sooner than the service says."""
    give_up_at = time.monotonic() + 30
    attempts = 0
    while True:
        attempts += 1
        retry_after = 0
        try:
            request = Request(url, data, {"Authorization": f"Bearer {key}", **headers})
            with urlopen(request, timeout=10) as response:
                return json.load(response), response.headers
        except HTTPError as error:
            body = error.read()
            in_flight = b"idempotency_key_in_flight" in body
            if not in_flight and error.code not in (408, 429, 502, 503, 504):
                raise SystemExit(f"the service answered {error.code}: {body}")
            retry_after = int(error.headers.get("Retry-After", 0))
        except (OSError, HTTPException, ValueError):
            pass  # No answer, or half of one.
        if time.monotonic() > give_up_at:
            raise SystemExit("the service does not answer")
        time.sleep(retry_after + random.uniform(0, min(5, 0.2 * 2**attempts)))


for number in range(1, 101):
    pet = {"name": f"animal {number}", "categoryId": 9007199254740993}
    once = {"Content-Type": "application/json", "Idempotency-Key": f'"{uuid.uuid4()}"'}
    call(pets, json.dumps(pet).encode(), once)

count, page = 0, f"{pets}?limit=100"
while page:
    found, headers = call(page)
    count += sum(pet["categoryId"] == 9007199254740993 for pet in found)
    link = re.search('<([^>]*)>; rel="next"', headers.get("Link", ""))
    page = link and urljoin(page, link[1])
print(count)
