"""Fixtures for pytest: starts `dlo local` once, and begins again for each test."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import boto3
import pytest

COMMAND = ["npx", "dlo", "local", "--assembly", "cdk.out", "--speed", "0", "--quiet"]


class LocalAws:
    """The embedded AWS, through its control API."""

    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/_dlo/{path}", data, method=method)
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def advance(self, seconds):
        self.call("POST", "advance", {"seconds": seconds})

    def events(self, kind):
        return [event for event in self.call("GET", "trace")["events"] if event["type"] == kind]


@pytest.fixture(scope="session")
def served_aws():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # npx starts other processes, so all of them are ended together.
    process = subprocess.Popen([*COMMAND, "--port", str(port)], stdout=subprocess.DEVNULL, start_new_session=True)
    aws = LocalAws(port)
    try:
        while process.poll() is None:
            try:
                aws.call("GET", "health")
                break
            except urllib.error.URLError:
                time.sleep(0.2)
        assert process.poll() is None, "dlo local has ended: see its errors above"
        yield aws
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


@pytest.fixture
def aws(served_aws):
    """The app as it was deployed, without what earlier tests did."""
    served_aws.call("POST", "reset")
    return served_aws


@pytest.fixture
def sns(aws):
    keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
    return boto3.client("sns", endpoint_url=aws.url, region_name="us-east-1", **keys)


@pytest.fixture
def topic(aws):
    """The ARN of the app's topic."""
    return aws.call("GET", "state")["topics"][0]["arn"]
