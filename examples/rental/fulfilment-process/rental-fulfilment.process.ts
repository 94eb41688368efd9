import { SQS } from '@aws-sdk/client-sqs';
import { fulfilOrders } from './fulfilment';

function queueUrl(): string {
  const { QUEUE_URL: url } = process.env;
  if (!url || !URL.canParse(url)) throw new Error(`QUEUE_URL must be the URL of a queue, got: ${JSON.stringify(url)}`);
  return url;
}

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
process.once('SIGINT', () => stop.abort());

const ports = {
  sqs: new SQS(),
  queueUrl: queueUrl(),
  clock: {
    get nowMs() {
      return Date.now();
    },
    after: (milliseconds: number, then: () => void) => {
      const timeout = setTimeout(then, milliseconds);
      return { cancel: () => clearTimeout(timeout) };
    },
  },
  log: (line: object) => console.log(JSON.stringify(line)),
};

fulfilOrders(ports, stop.signal).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
