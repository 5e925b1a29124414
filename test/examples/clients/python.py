# Adds 100 animals, gets the last one and lists all: python3 python.py http://127.0.0.1:3000 KEY
import itertools, json, random, re, sys, time, uuid
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import Request, urlopen

pets, api_key = f"{sys.argv[1]}/v1/pets", sys.argv[2]

def call(url, body=None, headers={}):
    """Repeats a call for 30 s after a restart, a rate limit or a lost response."""
    give_up_at = time.monotonic() + 30
    for attempt in itertools.count(1):
        try:
            request = Request(url, body, {"Authorization": f"Bearer {api_key}", **headers})
            with urlopen(request, timeout=10) as response:
                return json.load(response), response.headers
        except HTTPError as error:
            failure, pause = error.read().decode(), int(error.headers.get("Retry-After", 0))
            if error.code not in (408, 429, 502, 503, 504) and "in_flight" not in failure:
                raise SystemExit(failure)
        except (OSError, HTTPException, ValueError) as error:
            failure, pause = error, 0  # no response, or half of one
        if time.monotonic() > give_up_at:
            raise SystemExit(failure)
        time.sleep(pause + random.uniform(0, min(5, 0.2 * 2**attempt)))

def add(name, category):
    once = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    return call(pets, json.dumps({"name": name, "categoryId": category}).encode(), once)[0]

last = [add(f"animal {number}", 9007199254740993) for number in range(1, 101)][-1]
assert call(f"{pets}?after={last['id'] - 1}&limit=1")[0] == [last]
found, page = [], f"{pets}?limit=100"
while page:
    animals, headers = call(page)
    found += animals
    link = re.search('<(.*?)>; rel="next"', headers.get("Link", ""))
    page = link and urljoin(page, link[1])
print(len(found))
