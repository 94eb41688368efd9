import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type ConnectionOptions, connected } from '../../account/connection/connection';
import { queueNameOf } from '../../account/names';
import { abortAfter } from '../../mover/aws/clock';

/** More are of no use to a user who presses Tab. */
const MOST_NAMES = 500;

/** A user who presses Tab does not wait longer. */
const LONGEST_MS = 3_000;

/** The names of queues that begin with a prefix. */
export function queueNames(prefix: string, options: ConnectionOptions): Promise<readonly string[]> {
  return connected(options, async aws => {
    const asked = new ListQueuesCommand({ ...(prefix !== '' && { QueueNamePrefix: prefix }), MaxResults: MOST_NAMES });
    const { QueueUrls = [] } = await aws.client(SQSClient).send(asked, { abortSignal: abortAfter(LONGEST_MS) });
    return QueueUrls.map(queueNameOf);
  });
}
