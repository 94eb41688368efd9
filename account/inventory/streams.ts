import { DescribeDeliveryStreamCommand, FirehoseClient } from '@aws-sdk/client-firehose';
import type { StreamFacts, SubscriptionFacts } from '../../diagnosis/inventory/inventory';
import { displayNameOf, parseArn } from '../../policy/arn';
import { knownValue } from '../../template/maybe-known';
import type { AccountPlace, AccountReader, InventoryQuestion } from './account-reader';

const STREAM: InventoryQuestion = {
  action: 'firehose:DescribeDeliveryStream',
  of: ['Firehose stream', 'Firehose streams'],
  tells: 'the status',
  hides: ['streams'],
};

/**
 * Reads the Firehose streams of this account and Region that topics deliver to. Those that do not exist are left out. It needs the
 * permission `firehose:DescribeDeliveryStream`.
 */
export async function readStreams(
  reader: AccountReader,
  subscriptions: readonly SubscriptionFacts[],
  { region, account }: AccountPlace,
): Promise<readonly StreamFacts[]> {
  const client = reader.aws.client(FirehoseClient);
  const named = subscriptions.flatMap(it => (it.protocol === 'firehose' ? (knownValue(it.endpoint) ?? []) : []));
  const here = [...new Set(named)].filter(arn => {
    const parsed = parseArn(arn);
    return parsed?.service === 'firehose' && parsed.region === region && parsed.account === knownValue(account);
  });
  const read = await reader.each(here, async (arn): Promise<StreamFacts | undefined> => {
    const name = displayNameOf(arn);
    const asked = new DescribeDeliveryStreamCommand({ DeliveryStreamName: name });
    const answer = await reader.ask(STREAM, name, async () => (await client.send(asked)).DeliveryStreamDescription);
    const described = knownValue(answer);
    if (described === undefined) return undefined;
    const { DeliveryStreamStatus: status = '', DeliveryStreamType: type = '' } = described;
    return { arn, name, status, type, keyId: described.DeliveryStreamEncryptionConfiguration?.KeyARN };
  });
  return read.flatMap(it => it ?? []);
}
