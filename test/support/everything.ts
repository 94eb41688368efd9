import { Duration, type Stack } from 'aws-cdk-lib';
import { DeliveryStream, S3Bucket } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { DurableTopic, FunctionFailures, OpsTopic, ProcessingQueue } from '../../lib';
import type { Deployed } from './deployed';
import { inlineFunction } from './inline-function';

/** Does nothing: who deploys it puts something else in its place. */
const NOTHING = 'exports.handler = async () => {};';

/** Every construct that asks for access, each encrypted with a key of its own where it can be. */
export function everything(stack: Stack): void {
  const keyOf = (id: string) => new Key(stack, `${id}Key`);
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com', masterKey: keyOf('Ops') })];
  const deliveryPolicy = { healthyRetryPolicy: { numRetries: 2 } };
  const orders = new DurableTopic(stack, 'Orders', { masterKey: keyOf('Orders'), alarmActions, deliveryPolicy });

  orders.deliverToEndpoint('Partner', 'https://partner.example.com/orders');
  const destination = new S3Bucket(Bucket.fromBucketName(stack, 'Bucket', 'orders'));
  orders.deliverToFirehose('Stream', new DeliveryStream(stack, 'Stream', { destination }));

  const work = new ProcessingQueue(stack, 'Work', {
    encryptionMasterKey: keyOf('Work'),
    visibilityTimeout: Duration.seconds(18),
    alarmActions,
  });
  orders.deliverToQueue('Work', work);
  work.addFunctionConsumer(inlineFunction(stack, 'Worker', NOTHING));

  const handler = inlineFunction(stack, 'Handler', NOTHING);
  new FunctionFailures(stack, 'Failures', { handler, encryptionKey: keyOf('Failures'), alarmActions });
  orders.deliverToFunction('Handler', handler);
}

/** Adds what people do with it, to what everybody does. */
export async function useRoles(_deployed: Deployed): Promise<readonly string[]> {
  return [];
}
