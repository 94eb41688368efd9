import {
  answerOf,
  deadLetterTargetOf,
  readStatusRecord,
  redrivePolicyText,
  STATUS_FIELDS,
  type StatusRecord,
  statusLogGroups,
} from '../../../policy/messages/delivery-status';

const DLQ_ARN = 'arn:aws:sqs:us-east-1:123456789012:dlq';

/** The record in AWS's documentation, with changes to `delivery`. */
function record(delivery: Partial<StatusRecord['delivery']> = {}): StatusRecord {
  return {
    notification: {
      messageMD5Sum: '5d41402abc4b2a76b9719d911017c592',
      messageId: '3c7a9a36-43b9-5b62-9f2a-f4a4a3c2b2a0',
      topicArn: 'arn:aws:sns:us-east-1:123456789012:orders',
      timestamp: '2019-11-05 18:33:46.123',
    },
    delivery: {
      deliveryId: '0a4b6d8e-1f2a-5c3b-9d4e-5f6a7b8c9d0e',
      redrivePolicy: `{"deadLetterTargetArn": "${DLQ_ARN}"}`,
      destination: 'https://partner.example.com/orders',
      providerResponse: 'closed',
      dwellTimeMs: 53,
      attempts: 1,
      statusCode: 400,
      ...delivery,
    },
    status: 'FAILURE',
  };
}

/** Returns the value at the path of a field. */
function valueAt(path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], record());
}

test('Every field that our metrics and queries use is in the record that AWS shows', () => {
  const missing = Object.values(STATUS_FIELDS).filter(path => valueAt(path) === undefined);
  expect(missing).toEqual([]);
});

test('A log line is a delivery record if it has the parts of one', () => {
  expect(readStatusRecord(JSON.stringify(record()))).toEqual(record());
  for (const line of ['', 'START RequestId', '[]', 'null', '{"status":"FAILURE"}']) {
    expect(readStatusRecord(line)).toBeUndefined();
  }
});

describe('The dead-letter queue of a record', () => {
  test('is that of its redrive policy, in SNS’s spelling', () => {
    expect(deadLetterTargetOf(record())).toBe(DLQ_ARN);
    expect(redrivePolicyText(DLQ_ARN)).toBe(record().delivery.redrivePolicy);
  });

  test('is absent if the message was not kept', () => {
    expect(deadLetterTargetOf(record({ redrivePolicy: undefined }))).toBeUndefined();
    expect(deadLetterTargetOf(record({ redrivePolicy: '{}' }))).toBeUndefined();
  });
});

test.each([
  [
    '{"ErrorCode":"AccessDenied","ErrorMessage":"Access is denied.","sqsRequestId":"Unrecoverable"}',
    'AccessDenied: Access is denied.',
  ],
  ['{"lambdaRequestId":"1"}', '{"lambdaRequestId":"1"}'],
  ['{"ErrorCode":7,"ErrorMessage":"odd"}', '{"ErrorCode":7,"ErrorMessage":"odd"}'],
  ['closed', 'closed'],
  ['{not json', '{not json'],
])('The answer %s is described as %s', (providerResponse, reported) => {
  expect(answerOf(record({ providerResponse }))).toBe(reported);
});

test('Log groups are named by Region, account and topic; those of failures end in /Failure', () => {
  expect(statusLogGroups({ region: 'eu-west-1', account: '123456789012', name: 'orders' })).toEqual({
    success: 'sns/eu-west-1/123456789012/orders',
    failure: 'sns/eu-west-1/123456789012/orders/Failure',
  });
});
