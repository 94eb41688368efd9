import { LambdaClient, ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import { Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic, HttpRelay, OpsTopic, RelayEndpoint } from '../../lib';
import { response } from '../../local';
import { STACK_BREAKER } from '../support/breakers';
import { Deployed } from '../support/deployed';
import { newApp } from '../support/new-app';

const hostOf = (index: number) => `partner-${index}.example.com`;

/** A stack with a topic, a delivery to a queue, and as many relays. The topic's alarms come with its first delivery. */
function relays(count: number): (stack: Stack) => void {
  return stack => {
    const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
    const orders = new DurableTopic(stack, 'Orders', { alarmActions, logDeliveryStatus: false });
    orders.deliverToQueue('Archive', new Queue(stack, 'Archive'));
    for (let index = 0; index < count; index += 1) {
      const relay = new HttpRelay(stack, `Relay${index}`, {
        endpoint: RelayEndpoint.fromUrl(`https://${hostOf(index)}/orders`),
        jitterPercent: 0,
        circuitBreaker: { probeInterval: Duration.minutes(5) },
        alarmActions,
      });
      orders.deliverToRelay(`Partner${index}`, relay);
    }
  };
}

/** The resources in the template of a stack with so many relays, by type. */
function resourcesOf(count: number): ReadonlyMap<string, number> {
  const stack = new Stack(newApp(), 'Test');
  relays(count)(stack);
  const resources: Record<string, { readonly Type: string }> = Template.fromStack(stack).toJSON()['Resources'];
  const types = Object.values(resources).map(({ Type }) => Type);
  return new Map([...new Set(types)].map(type => [type, types.filter(it => it === type).length]));
}

/** What one stack has more than another, by type. */
function added(more: ReadonlyMap<string, number>, fewer: ReadonlyMap<string, number>): Record<string, number> {
  const grown = [...more].map(([type, count]) => [type, count - (fewer.get(type) ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, count]) => count !== 0));
}

const total = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const ALARM = 'AWS::CloudWatch::Alarm';

describe('Relays of one stack share their breaker', () => {
  const [none = new Map(), one = new Map(), two = new Map()] = [0, 1, 2].map(resourcesOf);

  test('so the second adds only what is its own: at most 14 resources, 5 of them alarms', () => {
    expect(added(two, one)).toEqual(OWN);
    expect(total(OWN)).toBeLessThanOrEqual(14);
    expect(OWN[ALARM]).toBeLessThanOrEqual(5);
  });

  test('and the first adds the breaker: at most 22 resources in all, 6 of them alarms', () => {
    const first = added(one, none);
    const rest = Object.entries(first).map(([type, count]) => [type, count - (OWN[type] ?? 0)] as const);
    expect(Object.fromEntries(rest.filter(([, count]) => count !== 0))).toEqual(SHARED);
    expect(total(first)).toBeLessThanOrEqual(22);
    expect(first[ALARM]).toBeLessThanOrEqual(6);
  });
});

describe('Many relays of one stack', () => {
  const DOWN = [3, 11];
  const ORDERS = 10;

  test('deploy, and the breaker stops the two whose endpoints fail and no other, until they answer again', async () => {
    const deployed = await Deployed.stack(relays(12));
    const indexes = Array.from({ length: 12 }, (_, index) => index);
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    const stopped = async () => {
      const states = indexes.map(async index => {
        const FunctionName = deployed.ref(`Relay${index}/Function`);
        const { EventSourceMappings: [mapping] = [] } = await lambda.send(
          new ListEventSourceMappingsCommand({ FunctionName }),
        );
        return mapping?.State === 'Disabled' ? [index] : [];
      });
      return (await Promise.all(states)).flat();
    };
    for (const index of DOWN) deployed.aws.endpoint(hostOf(index)).behave({ reply: response(503) });
    for (let order = 0; order < ORDERS; order += 1) await deployed.publish('Orders', `order ${order}`);
    await deployed.advance({ minutes: 20 });
    expect(await stopped()).toEqual(DOWN);
    for (const index of DOWN) deployed.aws.endpoint(hostOf(index)).behave();
    await deployed.advance({ minutes: 60 });
    expect(await stopped()).toEqual([]);
    for (const index of indexes) {
      const bodies = deployed.aws
        .endpoint(hostOf(index))
        .requests.filter(({ reply }) => 'status' in reply && reply.status === 200);
      expect([index, bodies.length]).toEqual([index, ORDERS]);
    }
    expect(await deployed.functionSum(`${STACK_BREAKER}/Function`, 'Errors')).toBe(0);
    const lines = deployed.log(deployed.ref(`${STACK_BREAKER}/Log`)).filter(text => text.includes('"did":"open"'));
    const opened = lines.map((text): { readonly relay: string } => JSON.parse(text)).map(({ relay }) => relay);
    expect(new Set(opened)).toEqual(new Set(DOWN.map(index => deployed.ref(`Relay${index}/Function`))));
  });

  test('keep, if they are thirty, their stack, their rule and their policies within the limits of AWS', () => {
    const stack = new Stack(newApp(), 'Test');
    relays(30)(stack);
    const template = Template.fromStack(stack);
    const [rule] = Object.values(template.findResources('AWS::Events::Rule'));
    expect(rule?.Properties.Targets).toHaveLength(3);
    expect(JSON.stringify(rule?.Properties.EventPattern).length).toBeLessThan(1_000);
    expect(Object.keys(template.toJSON()['Resources']).length).toBeLessThanOrEqual(500);
    const overflow = Object.keys(template.findResources('AWS::IAM::ManagedPolicy'));
    expect(overflow.filter(id => !id.startsWith(STACK_BREAKER))).toEqual([]);
  });
});

/** The resources of one relay, with its subscription. */
const OWN: Readonly<Record<string, number>> = {
  [ALARM]: 5,
  'AWS::SQS::Queue': 2,
  'AWS::SQS::QueuePolicy': 2,
  'AWS::SNS::Subscription': 1,
  'AWS::Lambda::Function': 1,
  'AWS::IAM::Role': 1,
  'AWS::Logs::LogGroup': 1,
  'AWS::Lambda::EventSourceMapping': 1,
};

/** The resources of the breaker. */
const SHARED: Readonly<Record<string, number>> = {
  [ALARM]: 1,
  'AWS::Lambda::Function': 1,
  'AWS::IAM::Role': 1,
  'AWS::IAM::Policy': 1,
  'AWS::Logs::LogGroup': 1,
  'AWS::Lambda::EventInvokeConfig': 1,
  'AWS::Events::Rule': 1,
  'AWS::Lambda::Permission': 1,
};
