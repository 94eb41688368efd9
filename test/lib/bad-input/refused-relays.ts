import { Duration, Stack } from 'aws-cdk-lib';
import { CfnAlarm, CfnDashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import {
  DeadLetterQueue,
  DurableTopic,
  type EndpointDeliveryOptions,
  HttpRelay,
  type HttpRelayProps,
  type OAuthClientCredentials,
  OpsDashboard,
  OpsTopic,
  RelayAuthorization,
  RelayEndpoint,
} from '../../../lib';
import { RUNBOOK_CONTEXT } from '../../../lib/shared/alarms';
import { newFunction } from '../../support/inline-function';
import { groupIn, vpcIn } from '../../support/vpc';
import { opsTopic } from '../support';
import {
  type Act,
  APP_ENV,
  arn,
  ONE_PLACE,
  OTHER_ACCOUNT_ENV,
  OTHER_REGION_ENV,
  OURS,
  plainQueue,
  plainSubscription,
  plainTopic,
  type Refused,
  UNRECORDED,
  URL,
} from './refused';

const relayOf =
  (props: Partial<HttpRelayProps>): Act =>
  stack =>
    new HttpRelay(stack, 'It', { endpoint: RelayEndpoint.fromUrl(URL), ...props });

const refused = (props: Partial<HttpRelayProps>, line: string, aws: Act | string = OURS): Refused => ({
  what: `HttpRelay ${JSON.stringify(props)}`,
  act: relayOf(props),
  line,
  aws,
});

const posting = (url: string, line: string, more: Partial<HttpRelayProps> = {}): Refused => ({
  ...refused({ endpoint: RelayEndpoint.fromUrl(url), ...more }, line),
  what: `HttpRelay to ${url} ${JSON.stringify(more)}`,
});

const secretIn = (stack: Stack, place = OTHER_REGION_ENV) =>
  Secret.fromSecretCompleteArn(stack, 'Secret', arn('secretsmanager', 'secret:partner-AbCdEf', place));

const ofSecret = (what: string, props: (stack: Stack) => Partial<HttpRelayProps>, line: string): Refused => ({
  what: `HttpRelay with ${what}`,
  act: stack => relayOf(props(stack))(stack),
  line,
  aws: ONE_PLACE,
});

const authorized = (
  client: Partial<OAuthClientCredentials>,
  line: string,
  more: Partial<HttpRelayProps> = {},
  place = APP_ENV,
): Refused => ({
  what: `HttpRelay with an OAuth client ${Object.keys(client)} ${Object.keys(more)} ${line.slice(0, 40)}`,
  act: stack => {
    const tokenUrl = 'https://auth.example.com/token';
    const credentials = { tokenUrl, credentialsSecret: secretIn(stack, place), ...client };
    const authorization = RelayAuthorization.oauthClientCredentials(credentials);
    return relayOf({ authorization, ...more })(stack);
  },
  line,
  aws: OURS,
});

const REGION = 'must be in the Region of the relay, us-east-1, got "eu-west-1"';

const mappingOf =
  (maximumConcurrency: number): Act =>
  stack => {
    const queue = new CfnQueue(stack, 'Queue');
    return new CfnEventSourceMapping(stack, 'Mapping', {
      functionName: newFunction(stack).functionName,
      eventSourceArn: queue.attrArn,
      scalingConfig: { maximumConcurrency },
    });
  };

/** A relay with incomplete network settings. */
const half =
  (vpcConfig: CfnFunction.VpcConfigProperty): Act =>
  stack => {
    const { defaultChild } = newFunction(stack).node;
    if (defaultChild instanceof CfnFunction) defaultChild.vpcConfig = vpcConfig;
    return defaultChild;
  };

const inNetwork = (
  what: string,
  props: (stack: Stack) => Partial<HttpRelayProps>,
  line: string,
  aws: Act | string = OURS,
): Refused => ({ what: `HttpRelay with ${what}`, act: stack => relayOf(props(stack))(stack), line, aws });

const hours = (count: number) => Duration.hours(count);

const retrying = (stated: EndpointDeliveryOptions, line: string): Refused => ({
  what: `Retrying with a relay beside ${Object.keys(stated)}`,
  act: stack => {
    const retryWith = new HttpRelay(stack, 'Relay', { endpoint: RelayEndpoint.fromUrl(URL) });
    return new DurableTopic(stack, 'It').deliverToEndpoint('X', URL, { retryWith, ...stated });
  },
  line,
  aws: OURS,
});

export const REFUSED_RELAYS: readonly Refused[] = [
  {
    what: 'Retrying with a relay beside a dead-letter queue',
    act: stack => {
      const retryWith = new HttpRelay(stack, 'Relay', { endpoint: RelayEndpoint.fromUrl(URL) });
      const deadLetterQueue = new DeadLetterQueue(stack, 'Dead');
      return new DurableTopic(stack, 'It').deliverToEndpoint('X', URL, { retryWith, deadLetterQueue });
    },
    line: 'deadLetterQueue must be absent where retryWith is present, got "Stack/Dead"',
    aws: OURS,
  },
  retrying({ alarmActions: [] }, 'alarmActions must be absent where retryWith is present, got []'),
  retrying(
    { rawMessageDelivery: true },
    'rawMessageDelivery must be absent where retryWith is present: set it on the relay, got true',
  ),
  {
    what: 'Raw delivery to a relay, which needs the envelope',
    act: stack => {
      const { queue } = new HttpRelay(stack, 'It', { endpoint: RelayEndpoint.fromUrl(URL) });
      return new DurableTopic(stack, 'Topic').deliverToQueue('X', queue, { rawMessageDelivery: true });
    },
    line: 'rawMessageDelivery must be absent where the queue is that of an HttpRelay: set it on the relay, got true',
    aws: OURS,
  },
  posting('partner', 'endpoint must be an absolute http or https URL, got "7 characters that are not a URL"'),
  posting(
    'http://partner.example.com/orders?token=t',
    'endpoint must be https where allowedPrivateRanges is absent, got "http://partner.example.com"',
  ),
  posting(
    'https://me:secret@partner.example.com/orders',
    'endpoint must have no user and password, because they would be visible in the template: use RelayEndpoint.fromSecret, got "partner.example.com"',
  ),
  posting('https://10.1.2.3/orders', 'endpoint must be public, or within one of allowedPrivateRanges, got "10.1.2.3"'),
  posting('http://8.8.8.8/orders', 'endpoint must be https, or within one of allowedPrivateRanges, got "8.8.8.8"', {
    allowedPrivateRanges: ['10.0.0.0/8'],
  }),
  posting(
    'https://localhost:8080/',
    'endpoint must not be an address that is the machine itself, got "localhost:8080"',
    { allowedPrivateRanges: ['10.0.0.0/8', 'fd00::/8'] },
  ),
  posting(
    'https://169.254.169.254/latest',
    'endpoint must not be an address that is where AWS hands out credentials, got "169.254.169.254"',
  ),
  posting(
    'https://[fd00:ec2::254]/latest',
    'endpoint must not be an address that is where AWS hands out credentials, got "[fd00:ec2::254]"',
    { allowedPrivateRanges: ['fd00::/8'] },
  ),
  {
    what: 'HttpRelay in a stack with more resources than CloudFormation accepts',
    act: stack => {
      stack.node.setContext('@aws-cdk/core:stackResourceLimit', 20);
      return relayOf({})(stack);
    },
    line: "resources of Stack must be at most 20, CloudFormation's limit for a stack, got 21",
    aws: OURS,
  },
  {
    what: 'more relays with a breaker in a stack than the targets of one rule have room for',
    act: stack => {
      for (let index = 0; index <= 50; index += 1) {
        new HttpRelay(stack, index === 50 ? 'It' : `Relay${index}`, { endpoint: RelayEndpoint.fromUrl(URL) });
      }
    },
    line: 'relays with a breaker must be at most 50 in a stack, because their settings are in the targets of one EventBridge rule: five, of 8,192 characters each; move relays to another stack, or set circuitBreaker.enabled to false, got 51',
    aws: OURS,
  },
  {
    what: 'HttpRelay to a member without a name of a secret',
    act: stack => relayOf({ endpoint: RelayEndpoint.fromSecret(new Secret(stack, 'Secret'), { field: '' }) })(stack),
    line: 'options.field must be a string that is not empty, got ""',
    aws: OURS,
  },
  refused(
    { allowedPrivateRanges: ['10.0.0.0/33'] },
    'allowedPrivateRanges[0] must be a range of addresses in CIDR notation, such as 10.0.0.0/8, got "10.0.0.0/33"',
  ),
  refused(
    { allowedPrivateRanges: ['10.0.0.0/8', '127.0.0.0/8'] },
    'allowedPrivateRanges[1] must not include 127.0.0.0/8, which is the machine itself, got "127.0.0.0/8"',
  ),
  refused(
    { allowedPrivateRanges: ['2002::/16'] },
    'allowedPrivateRanges[0] must be within a private range: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, 198.18.0.0/15, fc00::/7, got "2002::/16"',
  ),
  refused(
    { allowedPrivateRanges: ['0.0.0.0/0'] },
    'allowedPrivateRanges[0] must not include 0.0.0.0/8, which is not the address of a host, got "0.0.0.0/0"',
  ),
  refused(
    { allowedPrivateRanges: Array.from({ length: 21 }, (_, i) => `10.${i}.0.0/16`) },
    'allowedPrivateRanges must be at most 20, got 21',
  ),
  inNetwork(
    'subnets of no VPC',
    () => ({ vpcSubnets: { subnetGroupName: 'Relays' } }),
    'vpcSubnets must be absent where vpc is absent, got ["subnetGroupName"]',
    half({ subnetIds: ['subnet-1'] }),
  ),
  inNetwork(
    'security groups of no VPC',
    stack => ({ securityGroups: [groupIn(stack)] }),
    'securityGroups must be absent where vpc is absent, got ["Stack/Group"]',
    half({ securityGroupIds: ['sg-1'] }),
  ),
  refused({ allowAllOutbound: false }, 'allowAllOutbound must be absent where vpc is absent, got false'),
  inNetwork(
    'security groups, and a rule for another',
    stack => ({ vpc: vpcIn(stack), securityGroups: [groupIn(stack)], allowAllOutbound: false }),
    'allowAllOutbound must be absent where securityGroups is present: set it on the groups, got false',
  ),
  inNetwork('a VPC of another Region', stack => ({ vpc: vpcIn(stack, 'eu-west-1') }), `vpc ${REGION}`, ONE_PLACE),
  refused({ retryPolicy: { numRetries: 833 } }, 'retryPolicy.numRetries must be less than or equal to 832, got 833'),
  refused(
    { retryPolicy: { numRetries: 1, maxDelayTarget: hours(12) } },
    'retryPolicy.maxDelayTarget must be less than or equal to 43009, got 43200',
  ),
  refused(
    { retryPolicy: { numRetries: 100, numNoDelayRetries: 59 } },
    'retryPolicy.numNoDelayRetries must be less than or equal to 58, got 59',
  ),
  refused(
    { retentionPeriod: hours(24) },
    'retryPolicy must spend at most 82800 seconds in all its attempts and delays together, jitter included, while its queue keeps a message, got 326281 (the default)',
  ),
  refused({ jitterPercent: 51 }, 'jitterPercent must be a whole number from 0 to 50, got 51'),
  refused(
    { circuitBreaker: { enabled: false }, maximumConcurrency: 1 },
    'maximumConcurrency must be a whole number from 2 to 1,000, got 1',
    mappingOf(1),
  ),
  refused(
    { maximumConcurrency: 2 },
    'maximumConcurrency must be a whole number from 3 to 1,000 where circuitBreaker.enabled is not false, got 2',
  ),
  refused(
    { circuitBreaker: { thresholdPercent: 100 } },
    'circuitBreaker.thresholdPercent must be a whole number from 0 to 99, got 100',
  ),
  refused(
    { circuitBreaker: { minimumAttempts: 0 } },
    'circuitBreaker.minimumAttempts must be a whole number from 1 to 1,000,000,000, got 0',
  ),
  ...[299, 86_401].map(seconds =>
    refused(
      { circuitBreaker: { probeInterval: Duration.seconds(seconds) } },
      `circuitBreaker.probeInterval must be a whole number from 300 to 86,400 seconds, got ${seconds}`,
    ),
  ),
  refused({ maxReceivesPerSecond: 0 }, 'maxReceivesPerSecond must be a whole number from 1 to 100,000, got 0'),
  refused(
    { maxReceivesPerSecond: 1, maximumConcurrency: 1_000 },
    'maxReceivesPerSecond must let each of 1000 invocations make the first attempt of a message and its immediate retries within 900 seconds, got 1',
  ),
  refused(
    { retryPolicy: { numRetries: 100, numNoDelayRetries: 58 } },
    'maxReceivesPerSecond must let each of 5 invocations make the first attempt of a message and its immediate retries within 900 seconds, got 50 (the default)',
  ),
  refused(
    { connectTimeout: Duration.millis(0) },
    'connectTimeout must be a whole number from 1 to 884,000 milliseconds, got 0',
  ),
  refused(
    { totalTimeout: Duration.seconds(886), retryPolicy: { numRetries: 0 } },
    'totalTimeout must be a whole number from 1 to 884,000 milliseconds, got 886000',
  ),
  refused(
    { totalTimeout: Duration.seconds(2) },
    'connectTimeout must be no longer than totalTimeout, 2000 milliseconds, got 5000 (the default)',
  ),
  refused(
    { headers: { Host: 'x' } },
    'headers.Host must not replace a header of the relay, of SNS or of the connection, got "Host"',
  ),
  {
    ...refused(
      { headers: { 'X-Long': 'x'.repeat(2_048) } },
      'headers must take at most 2048 bytes as JSON, for the environment of a function has 4,096; keep more in headersSecret, got 2061',
    ),
    what: 'HttpRelay with more headers than fit',
  },
  {
    ...refused(
      { endpoint: RelayEndpoint.fromUrl(`https://partner.example.com/${'x'.repeat(2_600)}`) },
      'endpoint and headers, contentType, allowedPrivateRanges, deadStatuses must take at most 2560 bytes together, for the environment of a function has 4,096; a secret can hold more, got 2642',
    ),
    what: 'HttpRelay with a URL that does not fit',
  },
  refused({ contentType: 'json' }, 'contentType must be a media type, such as application/json, got "json"'),
  refused({ deadStatuses: [404, 200] }, 'deadStatuses[1] must be a whole number from 300 to 599, got 200'),
  refused({ retryAfterCap: hours(12) }, 'retryAfterCap must be a whole number from 0 to 42,913 seconds, got 43200'),
  refused(
    { retentionPeriod: Duration.days(15) },
    'retentionPeriod must be a whole number from 60 to 1,209,600 seconds, got 1296000',
    plainQueue({ messageRetentionPeriod: 1_296_000 }),
  ),
  ofSecret(
    'an endpoint that is a secret of another Region',
    stack => ({ endpoint: RelayEndpoint.fromSecret(secretIn(stack)) }),
    `endpoint ${REGION}`,
  ),
  ofSecret('headers of another Region', stack => ({ headersSecret: secretIn(stack) }), `headersSecret ${REGION}`),
  ofSecret('a key of another Region', stack => ({ signingSecret: secretIn(stack) }), `signingSecret ${REGION}`),
  {
    ...authorized({}, `authorization.credentialsSecret ${REGION}`, {}, OTHER_REGION_ENV),
    aws: ONE_PLACE,
  },
  authorized(
    { tokenUrl: 'http://auth.example.com/' },
    'authorization.tokenUrl must be https where allowedPrivateRanges is absent, got "http://auth.example.com"',
  ),
  authorized(
    { tokenUrl: 'https://10.0.0.5/token' },
    'authorization.tokenUrl must be public, or within one of allowedPrivateRanges, got "10.0.0.5"',
  ),
  authorized(
    { tokenUrl: 'https://me:hush@auth.example.com/' },
    'authorization.tokenUrl must have no user and password, because they would be visible in the template: use credentialsSecret, got "auth.example.com"',
  ),
  authorized(
    { tokenUrl: 'auth.example.com' },
    'authorization.tokenUrl must be an absolute http or https URL such as https://auth.example.com, got "auth.example.com"',
  ),
  authorized({ scope: ' a' }, 'authorization.scope must be scopes, separated by single blanks, got " a"'),
  authorized({}, 'headers.authorization must be absent where authorization is present, got "authorization"', {
    headers: { authorization: 'Bearer x' },
  }),
  authorized(
    { audience: 'x'.repeat(2_304) },
    'authorization and endpoint, headers, contentType, allowedPrivateRanges, deadStatuses must take at most 2304 bytes together, for the environment of a function has 4,096; a secret can hold more, got 2394',
  ),
  authorized({}, 'totalTimeout must be a whole number from 1 to 854,000 milliseconds, got 860000', {
    totalTimeout: Duration.seconds(860),
    retryPolicy: { numRetries: 0 },
  }),
  authorized({ scope: '' }, 'client.scope must be a string that is not empty, got ""'),
  refused(
    { failureRateAlarm: { thresholdPercent: 100 } },
    'failureRateAlarm.thresholdPercent must be a whole number from 0 to 99, got 100',
  ),
  refused(
    { failureRateAlarm: { minimumAttempts: 0 } },
    'failureRateAlarm.minimumAttempts must be a whole number from 1 to 1,000,000,000, got 0',
  ),
  refused(
    { latenessAlarmThreshold: Duration.seconds(0) },
    'latenessAlarmThreshold must be a whole number from 1 to 1,209,600 seconds, got 0',
  ),
];

const TOPIC_NAME = 'must be 1 to 256 alphanumeric characters, hyphens and underscores where the topic is not FIFO';

const feedbackRole = (stack: Stack) =>
  new Role(stack, 'Feedback', { assumedBy: new ServicePrincipal('sns.amazonaws.com') });

const SHARE = 'split the content over two dashboards';

/** A plain CloudFormation alarm. */
const plainAlarm =
  (alarmActions: string[]): Act =>
  stack =>
    new CfnAlarm(stack, 'Alarm', {
      namespace: 'Post',
      metricName: 'Letters',
      statistic: 'Sum',
      period: 60,
      evaluationPeriods: 1,
      threshold: 1,
      comparisonOperator: 'GreaterThanThreshold',
      alarmActions,
    });

const actionOn = (stack: Stack, topicArn: string) =>
  new SnsAction(Topic.fromTopicArn(stack, `Ops${topicArn}`, topicArn));
const SIX = Array.from({ length: 6 }, (_, i) => arn('sns', `ops${i}`));

export const REFUSED_OTHERS: readonly Refused[] = [
  {
    what: 'An alarm that speaks to another Region',
    act: stack =>
      new DeadLetterQueue(stack, 'It', {
        alarmActions: [actionOn(stack, arn('sns', 'ops', OTHER_REGION_ENV))],
        watchUnattended: false,
      }),
    line: 'alarmActions must be in the Region of the alarm, us-east-1, got "eu-west-1"',
    aws: plainAlarm([arn('sns', 'ops', OTHER_REGION_ENV)]),
  },
  {
    what: 'An alarm that speaks to a topic of another account that has no name',
    act: stack => {
      const theirs = new Stack(stack.node.root, 'Theirs', { env: OTHER_ACCOUNT_ENV });
      return new DeadLetterQueue(stack, 'It', { alarmActions: [opsTopic(theirs)], watchUnattended: false });
    },
    line: 'alarmActions must be in the account of the alarm or have a physical name; for a delivery in another account, set alarmActions of the delivery, got "Theirs/Ops"',
    aws: ONE_PLACE,
  },
  {
    what: 'An alarm that speaks to six topics',
    act: stack => new DeadLetterQueue(stack, 'It', { alarmActions: SIX.map(it => actionOn(stack, it)) }),
    line: 'alarmActions must be at most 5, got 6',
    aws: plainAlarm(SIX),
  },
  {
    what: 'DurableTopic that logs nothing, and says how much',
    act: stack =>
      new DurableTopic(stack, 'It', { logDeliveryStatus: false, deliveryStatusLogging: { successSampleRate: 10 } }),
    line: 'deliveryStatusLogging must be absent where logDeliveryStatus is false, got ["successSampleRate"]',
    aws: OURS,
  },
  {
    what: 'DurableTopic that logs one protocol in two ways',
    act: stack => {
      const config = { protocol: LoggingProtocol.SQS, failureFeedbackRole: feedbackRole(stack) };
      return new DurableTopic(stack, 'It', { loggingConfigs: [config] }).addLoggingConfig(config);
    },
    line: 'protocol must have only one logging configuration, got "sqs"',
    aws: UNRECORDED,
  },
  ...[
    { topicName: 'a b', line: `topicName ${TOPIC_NAME}, got "a b"` },
    { displayName: 'x'.repeat(101), line: 'displayName must have at most 100 characters, got 101' },
  ].map(
    ({ line, ...props }): Refused => ({
      what: `OpsTopic ${Object.keys(props)}`,
      act: stack => new OpsTopic(stack, 'It', props),
      line,
      aws: plainTopic(props),
    }),
  ),
  {
    what: 'OpsTopic with no mailbox',
    act: stack => new OpsTopic(stack, 'It', { email: 'ops' }),
    line: 'email must be one e-mail address, got "ops"',
    aws: plainSubscription({ protocol: 'email', endpoint: 'ops' }),
  },
  {
    what: 'OpsTopic that is FIFO, with a mailbox',
    act: stack => new OpsTopic(stack, 'It', { fifo: true, email: 'ops@example.com' }),
    line: 'email must be absent where fifo is true, got "ops@example.com"',
    aws: plainSubscription({ protocol: 'email', endpoint: 'ops@example.com' }, { fifoTopic: true }),
  },
  {
    what: 'OpsDashboard with a space in its name',
    act: stack => new OpsDashboard(stack, 'It', { dashboardName: 'Rental Orders' }),
    line: 'dashboardName must be 1 to 255 alphanumeric characters, hyphens and underscores, got "Rental Orders"',
    aws: stack =>
      new CfnDashboard(stack, 'Dashboard', { dashboardName: 'Rental Orders', dashboardBody: '{"widgets":[]}' }),
  },
  {
    what: 'OpsDashboard that shows too much',
    act: stack => {
      const queues = Array.from({ length: 497 }, (_, i) => Queue.fromQueueArn(stack, `Q${i}`, arn('sqs', `Q${i}`)));
      return new OpsDashboard(stack, 'It', { deadLetterQueues: queues });
    },
    line: `widgets must be at most 500; ${SHARE}, got 998`,
    aws: OURS,
  },
  {
    what: 'The context with no URL of a runbook',
    act: stack => {
      stack.node.setContext(RUNBOOK_CONTEXT, 7);
      return new DeadLetterQueue(stack, 'It');
    },
    line: `${RUNBOOK_CONTEXT} must be an absolute http or https URL, got 7`,
    aws: OURS,
  },
  {
    what: 'The context with the URL of a runbook that no browser opens',
    act: stack => {
      stack.node.setContext(RUNBOOK_CONTEXT, 's3://runbooks/orders');
      return new DeadLetterQueue(stack, 'It');
    },
    line: `${RUNBOOK_CONTEXT} must be an absolute http or https URL, got "s3://runbooks"`,
    aws: OURS,
  },
];
