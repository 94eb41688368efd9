import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { DurableTopic, HttpRelay, OpsTopic, RelayEndpoint } from '../../lib';
import { LocalAws } from '../../local';
import { relaySpending } from '../support/relay-spending';

const MESSAGES = 1_000;

/** A topic with a relay, and nothing else to speak of. */
export function relayStack(app: App): void {
  const stack = new Stack(app, 'OneRelay');
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
  const endpoint = RelayEndpoint.fromUrl('https://partner.example.com/orders');
  const topic = new DurableTopic(stack, 'Topic', { alarmActions, logDeliveryStatus: false });
  const relay = new HttpRelay(stack, 'Relay', { endpoint, alarmActions });
  topic.deliverToRelay('Partner', relay);
  const { role } = relay.handler;
  if (!role) throw new Error('the relay has no role');
  new CfnOutput(stack, 'TopicArn', { value: topic.topicArn });
  new CfnOutput(stack, 'RoleName', { value: role.roleName });
  new CfnOutput(stack, 'FunctionArn', { value: relay.handler.functionArn });
}

/** What is bought of SQS and Lambda for a message that is delivered at the first attempt. */
export function relayCalls(atOnce: number): (assembly: string) => Promise<string> {
  return async assembly => {
    const aws = await LocalAws.deploy(assembly);
    const { sns } = aws.services;
    const spent = relaySpending(aws, aws.output('RoleName'), aws.output('FunctionArn'));
    for (let published = 0; published < MESSAGES; published += atOnce) {
      for (let i = 0; i < atOnce; i += 1) {
        sns.call('Publish', sns.owner, { TopicArn: aws.output('TopicArn'), Message: `order ${published + i}` });
      }
      await aws.advance({ seconds: 5 });
    }
    await aws.advance({ minutes: 10 });
    const delivered = aws.endpoint('partner.example.com').requests.length;
    const { received, deleted, hidden, invocations, receivedNothing } = spent();
    await aws.close();
    if (delivered !== MESSAGES) throw new Error(`expected ${MESSAGES} requests, saw ${delivered}`);
    const each = (calls: number): string => (calls / delivered).toPrecision(3);
    const total = each(received + deleted + hidden + invocations).padStart(10);
    return `${total}  calls of SQS and Lambda for a message the relay delivers, of ${MESSAGES.toLocaleString('en')} that come ${atOnce.toLocaleString('en')} at a time: receives ${each(received)}, deletes ${each(deleted)}, changes of visibility ${each(hidden)}, invocations ${each(invocations)}; and ${receivedNothing} receives of nothing in all`;
  };
}
