import { LambdaClient, ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import { App, CfnResource, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DurableTopic, HttpRelay, OpsTopic, RelayEndpoint } from '../../lib';
import { response } from '../../local';
import { STACK_BREAKER } from '../support/breakers';
import { Deployed } from '../support/deployed';

const hostOf = (index: number) => `partner-${index}.example.com`;

/** A stack with a topic and as many relays of it. */
function relays(count: number): (stack: Stack) => void {
  return stack => {
    // With all alarms, so many relays have more resources than CloudFormation accepts.
    stack.node.setContext('@aws-cdk/core:stackResourceLimit', 0);
    const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
    const orders = new DurableTopic(stack, 'Orders', { alarmActions, logDeliveryStatus: false });
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

/** The resources of a stack with so many relays, without alarms, by type. */
function resourcesOf(count: number): ReadonlyMap<string, number> {
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'Test');
  relays(count)(stack);
  const types = stack.node
    .findAll()
    .filter(CfnResource.isCfnResource)
    .map(({ cfnResourceType }) => cfnResourceType)
    .filter(type => type !== 'AWS::CloudWatch::Alarm');
  return new Map([...new Set(types)].map(type => [type, types.filter(it => it === type).length]));
}

/** What one stack has more than another, by type. */
function added(more: ReadonlyMap<string, number>, fewer: ReadonlyMap<string, number>): Record<string, number> {
  const grown = [...more].map(([type, count]) => [type, count - (fewer.get(type) ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, count]) => count !== 0));
}

describe('Relays of one stack share their breaker', () => {
  const [none, one, two] = [0, 1, 2].map(resourcesOf);

  test('so the second adds only what is its own', () => {
    expect(added(two ?? new Map(), one ?? new Map())).toEqual(OWN);
  });

  test('and the first adds the breaker', () => {
    const shared = added(one ?? new Map(), none ?? new Map());
    const rest = Object.entries(shared).map(([type, count]) => [type, count - (OWN[type] ?? 0)] as const);
    expect(Object.fromEntries(rest.filter(([, count]) => count !== 0))).toEqual(SHARED);
  });
});

describe('Thirty relays of one stack', () => {
  const COUNT = 30;
  const DOWN = [7, 23];

  test('deploy, and the breaker stops the two whose endpoints fail and no other, until they answer again', async () => {
    const deployed = await Deployed.stack(relays(COUNT));
    const indexes = Array.from({ length: COUNT }, (_, index) => index);
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
    for (let order = 0; order < 30; order += 1) await deployed.publish('Orders', `order ${order}`);
    await deployed.advance({ minutes: 20 });
    expect(await stopped()).toEqual(DOWN);
    for (const index of DOWN) deployed.aws.endpoint(hostOf(index)).behave();
    await deployed.advance({ minutes: 90 });
    expect(await stopped()).toEqual([]);
    for (const index of indexes) {
      const bodies = deployed.aws
        .endpoint(hostOf(index))
        .requests.filter(({ reply }) => 'status' in reply && reply.status === 200);
      expect([index, bodies.length]).toEqual([index, 30]);
    }
    expect(await deployed.functionSum(`${STACK_BREAKER}/Function`, 'Errors')).toBe(0);
    const lines = deployed.log(deployed.ref(`${STACK_BREAKER}/Log`)).filter(text => text.includes('"did":"open"'));
    const opened = lines.map((text): { readonly relay: string } => JSON.parse(text)).map(({ relay }) => relay);
    expect(new Set(opened)).toEqual(new Set(DOWN.map(index => deployed.ref(`Relay${index}/Function`))));
  });

  test('keep their rule and their policies within the limits of AWS', () => {
    const stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'Test');
    relays(COUNT)(stack);
    const template = Template.fromStack(stack);
    const [rule] = Object.values(template.findResources('AWS::Events::Rule'));
    expect(rule?.Properties.Targets).toHaveLength(3);
    expect(JSON.stringify(rule?.Properties.EventPattern).length).toBeLessThan(1_000);
    const overflow = Object.keys(template.findResources('AWS::IAM::ManagedPolicy'));
    expect(overflow.filter(id => !id.startsWith(STACK_BREAKER))).toEqual([]);
  });
});

/** The resources of one relay, with its subscription and without alarms. */
const OWN: Readonly<Record<string, number>> = {
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
  'AWS::Lambda::Function': 1,
  'AWS::IAM::Role': 1,
  'AWS::IAM::Policy': 1,
  'AWS::Logs::LogGroup': 1,
  'AWS::Lambda::EventInvokeConfig': 1,
  'AWS::Events::Rule': 1,
  'AWS::Lambda::Permission': 1,
};
