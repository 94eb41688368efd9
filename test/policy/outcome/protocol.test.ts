import { FIFO_PROTOCOLS, PROTOCOLS, RAW_PROTOCOLS } from '../../../policy/outcome/protocol';

describe('the protocols of a subscription', () => {
  test('that support raw message delivery are Firehose, HTTP/S and SQS', () => {
    expect(PROTOCOLS.filter(it => RAW_PROTOCOLS.includes(it))).toEqual(['firehose', 'http', 'https', 'sqs']);
    expect(RAW_PROTOCOLS).toHaveLength(4);
  });

  test('to which a FIFO topic delivers are only those of queues', () => {
    expect(FIFO_PROTOCOLS).toEqual(['sqs']);
  });
});
