import { SNSClient } from '@aws-sdk/client-sns';
import { timer, wait } from '../../mover/clock';
import { httpSend } from '../shared/http-send';
import { log } from '../shared/log';
import { responder } from './cloudformation-request';
import { deliveryPolicySetter, topicDeliveryPolicyHandler } from './handler';

/** All tries together stay within the function's own timeout, so that CloudFormation is told of a silent service. */
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_ATTEMPTS = 4;
const MAX_ANSWER_BYTES = 1_024;

const send = httpSend(
  { connectTimeoutMs: REQUEST_TIMEOUT_MS, totalTimeoutMs: REQUEST_TIMEOUT_MS, maxBodyBytes: MAX_ANSWER_BYTES },
  timer,
);

const client = new SNSClient({
  maxAttempts: MAX_ATTEMPTS,
  requestHandler: {
    connectionTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  },
});

export const handler = topicDeliveryPolicyHandler({
  setDeliveryPolicy: deliveryPolicySetter(client),
  respond: responder(send, wait),
  wait,
  log,
});
