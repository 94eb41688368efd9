import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Duration, type Stack, Token } from 'aws-cdk-lib';
import { DeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import { LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { RentalOrdersStack } from '../../examples/rental';
import * as library from '../../lib';
import { packageRoot } from '../../lib/shared/own-package';
import { ROOT, sourceFiles } from '../repository/source-files';
import { inlineFunction } from '../support/inline-function';
import { jsiiAssembly, type Member, type Parameter, type TypeReference } from '../support/jsii-assembly';
import { examples, stackOf } from '../support/markdown-examples';
import { newApp, newStack, numberToken, problemsOf, templateOf, textToken } from './support';

/** The types in the jsii assembly. It includes new constructs, methods and properties automatically. */
const OURS = jsiiAssembly(packageRoot()).types;
const TYPES = { ...jsiiAssembly(path.join(packageRoot(), 'node_modules/aws-cdk-lib')).types, ...OURS };

/** Values that cannot be tokens: constructs. */
const GIVEN: Readonly<Record<string, (stack: Stack) => unknown>> = {
  'aws-cdk-lib.aws_sqs.IQueue': stack => new Queue(stack, 'GivenQueue'),
  'aws-cdk-lib.aws_sns.ITopic': stack => new Topic(stack, 'GivenTopic'),
  'aws-cdk-lib.aws_lambda.IFunction': stack => inlineFunction(stack, 'GivenFunction', 'exports.handler = () => {};'),
  'aws-cdk-lib.aws_lambda.Function': stack => inlineFunction(stack, 'GivenFunction', 'exports.handler = () => {};'),
  'aws-cdk-lib.aws_sns.LoggingProtocol': () => LoggingProtocol.SQS,
  'dead-letter-office.RelayEndpoint': () => library.RelayEndpoint.fromUrl(textToken()),
  'dead-letter-office.HttpRelay': stack =>
    new library.HttpRelay(stack, 'GivenRelay', { endpoint: library.RelayEndpoint.fromUrl(textToken()) }),
  'dead-letter-office.RelayFleet': stack => new library.RelayFleet(stack, 'GivenFleet'),
  'dead-letter-office.IRedriveDestination': stack =>
    library.RedriveDestination.queue(new Queue(stack, 'GivenDestination')),
  'aws-cdk-lib.aws_kinesisfirehose.IDeliveryStream': stack =>
    DeliveryStream.fromDeliveryStreamArn(stack, 'GivenStream', textToken()),
};

/** Properties that another property requires. Some are only for FIFO topics, or need a key. */
const BESIDE: Readonly<Record<string, object>> = {
  messageRetentionPeriodInDays: { fifo: true },
  dataKeyReuse: { encryption: QueueEncryption.KMS_MANAGED },
  end: { start: '-P1D' },
};

const NO_VPC = 'whatever is in it, there must be none without a vpc';

/** Tokens that our code cannot accept, and who rejects them. */
const REFUSED_ANYWAY: Readonly<Record<string, string>> = {
  'DeadLetterQueue: deadLetterQueue': 'whatever is in it, there must be none',
  'Quarantine: deadLetterQueue': 'whatever is in it, there must be none',
  'OpsDashboard: defaultInterval': 'aws-cdk-lib, which makes milliseconds of it',
  'HttpRelay: vpcSubnets': NO_VPC,
  'RelayFleet: vpcSubnets': NO_VPC,
  'RelayFleet: fleetName': 'it is part of ids that must never change',
  'DurableTopic.relayToEndpoint: vpcSubnets': NO_VPC,
  'ImportedTopic.relayToEndpoint: vpcSubnets': NO_VPC,
};

/** Returns every property of a props interface, including inherited ones. */
function propertiesOf(fqn: string): readonly Member[] {
  const { interfaces = [], properties = [] } = TYPES[fqn] ?? {};
  return [...interfaces.flatMap(propertiesOf), ...properties];
}

/** Returns a token of the type; undefined if a token cannot have it, as for an enum or a boolean. */
function unknown(stack: Stack, { primitive, fqn = '', collection }: TypeReference): unknown {
  if (primitive === 'string') return textToken();
  if (primitive === 'number') return numberToken();
  if (fqn === 'aws-cdk-lib.Duration') return Duration.seconds(numberToken());
  if (collection?.kind === 'array' && collection.elementtype.primitive === 'string') {
    return Token.asList({ 'Fn::Split': [',', { Ref: 'AWS::AccountId' }] });
  }
  if (!TYPES[fqn]?.datatype) return undefined;
  const members = propertiesOf(fqn).map(member => [member.name, needed(stack, member)] as const);
  const given = members.filter(([, value]) => value !== undefined);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

/** Returns a value for a member of an object of tokens. It is a construct only if one is required. */
function needed(stack: Stack, { type = {}, optional = false }: Member | Parameter): unknown {
  return unknown(stack, type) ?? (optional ? undefined : GIVEN[type.fqn ?? '']?.(stack));
}

/** Properties of which one is required, although each is optional. */
const ONE_OF: Readonly<Record<string, readonly string[]>> = { 'dead-letter-office.RedriveLaneProps': ['handler'] };

/** Returns the required properties of an interface. */
function required(stack: Stack, fqn: string): object {
  const members = propertiesOf(fqn)
    .map(member => (ONE_OF[fqn]?.includes(member.name) ? { ...member, optional: false } : member))
    .filter(({ optional = false }) => !optional);
  return Object.fromEntries(members.map(member => [member.name, needed(stack, member)]));
}

/** A property that can be a token, and the construct or method that accepts it. */
interface Row {
  readonly where: string;
  readonly act: (stack: Stack) => unknown;
}

type Make = (stack: Stack, props: object) => unknown;

/** Returns a row for each property, and one for all that can be combined. */
function rowsOf(where: string, fqn: string, make: Make): Row[] {
  return propertiesOf(fqn)
    .filter(({ type = {} }) => unknown(newStack(), type) !== undefined)
    .map(({ name, type = {} }) => ({
      where: `${where}: ${name}`,
      act: stack => make(stack, { ...required(stack, fqn), ...BESIDE[name], [name]: unknown(stack, type) }),
    }));
}

const exported = new Map<string, unknown>(Object.entries(library));

function construct(name: string, stack: Stack, props: object): object {
  return Reflect.construct(exported.get(name) as new (...args: unknown[]) => object, [stack, 'It', props]);
}

const nameOf = (fqn: string) => fqn.replace('dead-letter-office.', '');
const isConstruct = ([scope, id, props]: readonly Parameter[]) =>
  scope?.name === 'scope' && id?.name === 'id' && TYPES[props?.type.fqn ?? '']?.datatype === true;

const classes = Object.values(OURS).filter(({ initializer }) => isConstruct(initializer?.parameters ?? []));

const CONSTRUCTORS = classes.flatMap(({ fqn, initializer }) => {
  const props = initializer?.parameters?.[2]?.type.fqn ?? '';
  return rowsOf(nameOf(fqn), props, (stack, given) => construct(nameOf(fqn), stack, given));
});

/** Whether a method creates something from its arguments. Other methods return metrics, or grant. */
const isKnown = ({ name, static: isStatic = false, parameters = [] }: Member) =>
  /^(deliverTo|relayTo|add[A-Z])/.test(name) &&
  !isStatic &&
  parameters.some(parameter => parameter.name !== 'id' && unknown(newStack(), parameter.type) !== undefined);

const METHODS = classes.flatMap(({ fqn, methods = [], initializer }) =>
  methods.filter(isKnown).flatMap(({ name, parameters = [] }): Row[] => {
    const call = (stack: Stack, options?: object) => {
      const props = required(stack, initializer?.parameters?.[2]?.type.fqn ?? '');
      const target = construct(nameOf(fqn), stack, props);
      const args = parameters.map(parameter => (parameter.name === 'id' ? 'X' : needed(stack, parameter)));
      if (options) args[args.length - 1] = options;
      return Reflect.apply(Reflect.get(target, name) as (...args: unknown[]) => unknown, target, args);
    };
    const where = `${nameOf(fqn)}.${name}`;
    const options = parameters.at(-1)?.type.fqn ?? '';
    return [
      { where, act: stack => call(stack, TYPES[options]?.datatype ? required(stack, options) : undefined) },
      ...(TYPES[options]?.datatype ? rowsOf(where, options, call) : []),
    ];
  }),
);

describe('A value that is known only at deployment stops no synthesis', () => {
  const rows = [...CONSTRUCTORS, ...METHODS];

  test('in many properties of many constructs', () => {
    expect(CONSTRUCTORS.length).toBeGreaterThan(50);
    expect(METHODS.length).toBeGreaterThan(5);
    expect(rows.map(({ where }) => where)).toEqual(expect.arrayContaining(Object.keys(REFUSED_ANYWAY)));
  });

  test.each(rows.filter(({ where }) => !REFUSED_ANYWAY[where]))('$where', ({ act }) => {
    const stack = newStack();
    expect(
      problemsOf(() => {
        act(stack);
        templateOf(stack);
      }),
    ).toEqual([]);
  });
});

describe('logical ids', () => {
  /**
   * Resources that store messages or records of them, or that make them readable, and the API. Another logical id would replace
   * the live resource and delete its contents. The snapshot of the whole template can be recorded
   * again; entries are only ever added to this list.
   */
  const LIVE_RENTAL_ORDERS = [
    'RentalKeyD7CD02C4',
    'RentalApiAccessLogB261456B',
    'RentalApiExecutionLog6BE25F27',
    'RentalApiRestApiC6D33FD3',
    'RentalBillingLog751F9368',
    'RentalBillingDlqF2F1055B',
    'RentalBillingFanoutDlqB4EE19D4',
    'RentalFulfilmentDlq7BE6E939',
    'RentalFulfilmentFanoutDlqAFF547DF',
    'RentalFulfilmentQueue5DE83FF2',
    'RentalOpsTopic5CF40EA2',
    'RentalOpsTopicEmailF8217415',
    'RentalTopicC4207F96',
    'RentalTopicDeliveriesBillingSubscriptionC43E0539',
    'RentalTopicDeliveriesFulfilmentSubscription3676E188',
    // Instead of the two log groups of the topic, which CloudFormation could not create if they existed.
    'DeliveryStatusLogGroups4bd4474b011187c4',
    'DeadLetterOfficeTopicDeliveryPoliciesLog83B369FF',
  ];

  /** The types of the above. */
  const KEEPING =
    /^(Custom::DeliveryStatusLogGroups|AWS::(KMS::Key|Logs::LogGroup|SNS::(Topic|Subscription)|SQS::Queue|ApiGateway::RestApi))$/;

  /** The same for the README's example, which users have copied into their stacks. */
  const LIVE_EXAMPLE = [
    'BillingFailuresDeadLetterQueue982DA775',
    'FulfilmentB5B164CA',
    'FulfilmentDeadLetterQueue1A3B608F',
    'OpsA097D252',
    'OpsEmail72101C6C',
    'OrdersTopic47790A41',
    'OrdersTopicDeliveriesToBillingDeadLetterQueueC2692BB3',
    'OrdersTopicDeliveriesToBillingSubscriptionC5FEF655',
    'OrdersTopicDeliveriesToFulfilmentDeadLetterQueue05615C16',
    'OrdersTopicDeliveriesToFulfilmentSubscription9130B724',
    'OrdersTopicDeliveriesToPartnerDeadLetterQueueF5181140',
    'OrdersTopicDeliveriesToPartnerSubscription4E925B98',
    'OrdersTopicDeliveryStatusFailures03E4FC66',
    'OrdersTopicDeliveryStatusSuccessesEBADEA13',
  ];

  /** Returns the logical ids of resources that store something. */
  function keeping(stack: Stack): string[] {
    const resources: [string, { Type: string }][] = Object.entries(templateOf(stack).toJSON()['Resources']);
    return resources.filter(([, { Type }]) => KEEPING.test(Type)).map(([logicalId]) => logicalId);
  }

  test('of RentalOrders stay the same where a change would replace a live resource', () => {
    const rentalOrders = { opsEmail: 'ops@example.com', billingEndpoint: 'https://billing.example.com/invoices' };
    const stack = new RentalOrdersStack(newApp(), 'RentalOrders', { rentalOrders });
    expect(keeping(stack).sort()).toEqual([...LIVE_RENTAL_ORDERS].sort());
  });

  test('of README’s example stay the same', () => {
    const [example = ''] = examples(readFileSync(path.join(ROOT, 'README.md'), 'utf8'));
    expect(keeping(stackOf(example)).sort()).toEqual([...LIVE_EXAMPLE].sort());
  });
});

/**
 * aws-cdk: "GetTemplate is lossy -- it replaces non-ASCII characters with a literal ASCII ?", so "cdk import fails on any
 * stack whose deployed template contains a non-ASCII character in a resource property".
 * @see https://github.com/aws/aws-cdk-cli/issues/1915
 */
describe('Synthesized text is ASCII, as cdk import requires,', () => {
  const NOT_ASCII = /[^ -~]+/g;

  test('in the template of the rental backend, with its dashboard', () => {
    const rentalOrders = { opsEmail: 'ops@example.com', billingEndpoint: 'https://billing.example.com/invoices' };
    const stack = new RentalOrdersStack(newApp(), 'RentalOrders', { rentalOrders });
    const text = JSON.stringify(templateOf(stack).toJSON());
    expect(text).toContain('What is dying, where, and since when');
    expect(text.match(NOT_ASCII)).toBeNull();
  });

  test('in every text of a construct; only errors shorten values with an ellipsis', () => {
    const comment = /^\s*(\/?\*|\/\/)/;
    const lines = sourceFiles('lib')
      .filter(it => it.path !== 'lib/shared/shapes.ts')
      .flatMap(it => it.text.split('\n').map(line => ({ line, where: it.path })))
      .filter(({ line }) => !comment.test(line) && line.search(NOT_ASCII) >= 0);
    expect(lines).toEqual([]);
  });
});

const types = Object.values(jsiiAssembly(packageRoot()).types);
const members = types.flatMap(({ fqn, datatype, properties = [], methods = [] }) =>
  [...properties, ...methods].map(member => ({
    where: `${fqn}.${member.name}`,
    isProp: datatype === true,
    ...member,
  })),
);

describe('The public API', () => {
  test('has the expected names', () => {
    expect(types.map(({ fqn }) => fqn)).toEqual(
      expect.arrayContaining(
        ['DurableTopic', 'DeadLetterQueue', 'ProcessingQueue'].map(name => `dead-letter-office.${name}`),
      ),
    );
  });

  test('documents every type and member', () => {
    const silent = [
      ...types.filter(({ docs }) => !docs?.summary).map(({ fqn }) => fqn),
      ...members.filter(({ docs, overrides }) => !docs?.summary && !overrides).map(({ where }) => where),
    ];
    expect(silent).toEqual([]);
  });

  test('documents the default of every optional property', () => {
    const optional = members.filter(({ isProp, optional }) => isProp && optional);
    expect(optional.length).toBeGreaterThan(20);
    expect(optional.filter(({ docs }) => !docs?.default).map(({ where }) => where)).toEqual([]);
  });
});
