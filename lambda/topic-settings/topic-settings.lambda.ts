import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { SNSClient } from '@aws-sdk/client-sns';
import { timer, wait } from '../../mover/aws/clock';
import { httpSend } from '../shared/http-send';
import { log } from '../shared/log';
import { responder } from './cloudformation-request';
import { deliveryPolicySetter } from './delivery-policy';
import { topicSettingsHandler } from './handler';
import { logGroupCalls } from './log-groups';

/** All attempts together fit into the function's timeout, so that CloudFormation gets an answer even if AWS does not respond. */
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_ATTEMPTS = 4;
const MAX_ANSWER_BYTES = 1_024;

const send = httpSend(
  { connectTimeoutMs: REQUEST_TIMEOUT_MS, totalTimeoutMs: REQUEST_TIMEOUT_MS, maxBodyBytes: MAX_ANSWER_BYTES },
  timer,
);

const settings = {
  maxAttempts: MAX_ATTEMPTS,
  requestHandler: {
    connectionTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  },
};

export const handler = topicSettingsHandler({
  setDeliveryPolicy: deliveryPolicySetter(new SNSClient(settings)),
  logGroups: logGroupCalls(new CloudWatchLogsClient(settings)),
  respond: responder(send, wait),
  wait,
  log,
});
