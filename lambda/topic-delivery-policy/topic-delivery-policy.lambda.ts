import { SNSClient } from '@aws-sdk/client-sns';
import { timer, wait } from '../../mover/clock';
import { httpSend } from '../shared/http-send';
import { log } from '../shared/log';
import { responder } from './cloudformation-request';
import { deliveryPolicySetter, topicDeliveryPolicyHandler } from './handler';

/** All attempts together fit into the function's timeout, so that CloudFormation gets an answer even if SNS does not respond. */
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
