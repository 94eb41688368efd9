import { DescribeDeliveryStreamCommand } from '@aws-sdk/client-firehose';
import { readStreams } from '../../../account/inventory/streams';
import { ACCOUNT, REGION, stream, subscription } from '../../diagnosis/inventories';
import { type Answer, named, readerOf } from './answering-reader';

const AT = { partition: 'aws', region: REGION, account: ACCOUNT };
const to = (endpoint: string) => subscription('orders', endpoint, { protocol: 'firehose', endpoint });
const { arn } = stream('log');
const KEY = 'arn:aws:kms:eu-west-1:111122223333:key/1';
const DESCRIBED = {
  DeliveryStreamDescription: {
    DeliveryStreamStatus: 'DELETING',
    DeliveryStreamType: 'DirectPut',
    DeliveryStreamEncryptionConfiguration: { Status: 'ENABLED', KeyARN: KEY },
  },
};

test.each<[string, Answer, object[], string[]]>([
  ['with its state and its key', DESCRIBED, [stream('log', { status: 'DELETING', keyId: KEY })], []],
  ['is left out where it does not exist', named('ResourceNotFoundException', 'Firehose log not found.'), [], []],
  ['is unknown where it may not be read', named('AccessDeniedException', 'no'), [], ['streams']],
])('a stream that several subscriptions name, %s', async (_, answer, facts, incomplete) => {
  const reader = readerOf({ [DescribeDeliveryStreamCommand.name]: answer });
  const elsewhere = [arn.replace('eu-west-1', 'us-east-1'), arn.replace(ACCOUNT, '999999999999')];
  expect(await readStreams(reader, [arn, arn, ...elsewhere].map(to), AT)).toEqual(facts);
  expect(reader.incomplete).toEqual(incomplete);
});
