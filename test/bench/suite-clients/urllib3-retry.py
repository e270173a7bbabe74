"""urllib3 with a Retry: it waits for Retry-After, and sends only what is idempotent again."""

import os

import urllib3

url = os.environ["PETS_BASE_URL"] + "/pets"
headers = {"Authorization": "Bearer " + os.environ["PETS_API_KEY"]}
retries = urllib3.Retry(total=3, backoff_factor=0.5, status_forcelist=[429, 500, 502, 503, 504])
client = urllib3.PoolManager(retries=retries, timeout=2.0)


def send(method, **more):
    response = client.request(method, url, headers=headers, **more)
    if response.status >= 400:
        raise SystemExit(f"status {response.status}")
    return response.json()


send("POST", json={"name": "Rex", "categoryId": 1})
send("GET")
send("GET")
