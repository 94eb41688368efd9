import { SNSClient } from '@aws-sdk/client-sns';
import { httpsSend, type Timer } from '../https/https-send';
import { responding } from './answer';
import { topicDeliveryPolicyHandler } from './handler';
import { settingWith } from './topic';

/** All tries together stay within the function's own timeout, so that CloudFormation is told of a silent service. */
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_ATTEMPTS = 4;
const MAX_ANSWER_BYTES = 1_024;

const timer: Timer = (milliseconds, then) => {
  const timeout = setTimeout(then, milliseconds);
  return () => clearTimeout(timeout);
};

const wait = (milliseconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, milliseconds));

const client = new SNSClient({
  maxAttempts: MAX_ATTEMPTS,
  requestHandler: {
    connectionTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  },
});

export const handler = topicDeliveryPolicyHandler({
  setDeliveryPolicy: settingWith(client),
  respond: responding(httpsSend({ timeoutMs: REQUEST_TIMEOUT_MS, maxBodyBytes: MAX_ANSWER_BYTES }, timer), wait),
  wait,
  log: line => console.log(JSON.stringify(line)),
});
