import { type CfnElement, Duration, type Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { BackoffFunction } from 'aws-cdk-lib/aws-sns';
import type { IConstruct } from 'constructs';
import {
  AlarmSet,
  DeadLetterQueue,
  DurableTopic,
  HttpRelay,
  type HttpRelayProps,
  OpsTopic,
  RelayAuthorization,
  RelayEndpoint,
  RelayMetric,
} from '../../../lib';
import { totalDelaySeconds } from '../../../policy/delivery-policy/retry-schedule';
import { newStack, numberToken, only, problemsOf, templateOf, warningIds } from '../support';

const URL = 'https://partner.example.com/orders';

function relayIn(stack: Stack, props: Partial<HttpRelayProps> = {}): HttpRelay {
  return new HttpRelay(stack, 'Relay', {
    endpoint: RelayEndpoint.fromUrl(URL),
    alarms: AlarmSet.ALL,
    alarmActions: [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })],
    ...props,
  });
}

/** Synthesizes a relay with these properties. */
function made(props: Partial<HttpRelayProps> = {}) {
  const stack = newStack();
  relayIn(stack, props);
  const template = templateOf(stack);
  const [, { Properties: mapping }] = only(template, 'AWS::Lambda::EventSourceMapping');
  const isRelay = { Properties: { Environment: { Variables: { RELAY_SETTINGS: Match.anyValue() } } } };
  const [{ Properties: handler } = { Properties: {} }] = Object.values(
    template.findResources('AWS::Lambda::Function', isRelay),
  );
  const queues = Object.entries(template.findResources('AWS::SQS::Queue'));
  const [, queue] = queues.find(([, { Properties }]) => Properties.RedrivePolicy) ?? [];
  const [, deadLetterQueue] = queues.find(([, { Properties }]) => !Properties.RedrivePolicy) ?? [];
  const { RELAY_SETTINGS: written } = (handler['Environment'] as { Variables: Record<string, unknown> }).Variables;
  const text = typeof written === 'string' ? written : JSON.stringify(written);
  return {
    stack,
    template,
    mapping,
    handler,
    queue: queue?.Properties,
    deadLetterQueue: deadLetterQueue?.Properties,
    text,
  };
}

/** A text with a number in place of each token, because it may be one. */
function knownText(joined: { readonly 'Fn::Join': readonly [string, readonly unknown[]] }): string {
  return joined['Fn::Join'][1].map(part => (typeof part === 'string' ? part : '7')).join('');
}

/** Parses an environment variable of a function. */
function knownValue(stack: Stack, handler: IConstruct | undefined, variable: string): Record<string, unknown> {
  const resource = handler?.node.defaultChild;
  if (!(resource instanceof CfnFunction)) throw new Error('there is no such function');
  return JSON.parse(knownText(stack.resolve(resource.environment).variables[variable]));
}

function settingsOf(props: Partial<HttpRelayProps> = {}): Record<string, unknown> {
  const stack = newStack();
  return knownValue(stack, relayIn(stack, props).handler, 'RELAY_SETTINGS');
}

function breakerSettingsOf(props: Partial<HttpRelayProps> = {}): Record<string, unknown> {
  const stack = newStack();
  relayIn(stack, props);
  const [rule] = Object.values(templateOf(stack).findResources('AWS::Events::Rule'));
  const template = knownText(rule?.Properties.Targets[0].InputTransformer.InputTemplate);
  return JSON.parse(template.replaceAll(/<(\w+)>/g, '"$1"')).relays[0];
}

describe('A relay with its defaults', () => {
  const { stack, mapping, handler, queue, deadLetterQueue } = made();

  test('gets no warning', () => {
    expect(warningIds(stack)).toEqual([]);
  });

  test('retries for longer than an outage of three days, even if every delay is as short as possible', () => {
    const { retryPolicy, jitterPercent } = settingsOf() as {
      retryPolicy: Parameters<typeof totalDelaySeconds>[0];
      jitterPercent: number;
    };
    expect(totalDelaySeconds(retryPolicy) * (1 - jitterPercent / 100)).toBeGreaterThan(3 * 86_400);
  });

  test('gives SQS a maxReceiveCount a fifth above what the policy needs, and at least ten, as a backstop', () => {
    expect(queue).toMatchObject({ RedrivePolicy: { maxReceiveCount: 93 + 19 + 20 } });
  });

  test('lets the function report each failed message, with ten in a batch and five invocations at a time', () => {
    expect(mapping).toMatchObject({
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 5 },
    });
  });

  test('hides messages for six times the timeout of the function', () => {
    expect(handler['Timeout']).toBe(2 * (15 + 1) + 15);
    expect(queue).toMatchObject({ VisibilityTimeout: 6 * 47 });
  });

  test('keeps messages for ten days, and dead letters for fourteen', () => {
    expect([queue?.MessageRetentionPeriod, deadLetterQueue?.MessageRetentionPeriod]).toEqual([864_000, 1_209_600]);
  });

  test('passes its function all settings', () => {
    expect(settingsOf()).toMatchObject({
      fifo: false,
      endpoint: { url: URL },
      jitterPercent: 10,
      retryAfterCapSeconds: 3_600,
      maxDelaySeconds: 43_200 - 6 * 47 - 5,
      retentionSeconds: 864_000,
      connectTimeoutMs: 5_000,
      totalTimeoutMs: 15_000,
      contentType: 'text/plain; charset=UTF-8',
      rawMessageDelivery: false,
      headers: {},
      allowedPrivateRanges: [],
      deadStatuses: [400, 410, 413, 415, 422],
      maximumConcurrency: 5,
    });
    expect(settingsOf()).toMatchObject({ maxReceivesPerSecond: 50, maximumConcurrency: 5 });
  });

  test('has an alarm for every way in which it can come to a standstill', () => {
    const relay = relayIn(newStack());
    const ids = relay.alarms.map(({ node }) => node.id);
    expect(ids).toEqual([
      'FailureRateAlarm',
      'UndeliveredAlarm',
      'LatenessAlarm',
      'UntakenAlarm',
      'UntriedAlarm',
      'DeadLetteringFailedAlarm',
      'BrokenAlarm',
      'ErrorsAlarm',
      'ThrottlesAlarm',
      'LoopStoppedAlarm',
      'BreakerAlarm',
      'StoppedAlarm',
      'HalfOpenAlarm',
      'BreakerErrorsAlarm',
    ]);
    expect(relay.queue.alarms.map(({ node }) => node.id)).toEqual(['AgeAlarm', 'InFlightAlarm']);
    const { deadLetterQueue: messages } = relay;
    for (const id of ['ArrivalsAlarm', 'WaitingAlarm', 'AgeAlarm'])
      expect(messages.node.tryFindChild(id)).toBeDefined();
  });
});

describe('A relay computes', () => {
  test.each([
    {
      what: 'three immediate retries',
      props: { retryPolicy: { numRetries: 3, numNoDelayRetries: 3 } },
      timeout: 4 * 16 + 15,
    },
    {
      what: 'a longer timeout of a request',
      props: { retryPolicy: { numRetries: 1 }, totalTimeout: Duration.seconds(60) },
      timeout: 76,
    },
    { what: 'a pace', props: { retryPolicy: { numRetries: 1 }, maxReceivesPerSecond: 1 }, timeout: 15 + 10 * 5 + 15 },
    { what: 'fractions', props: { retryPolicy: { numRetries: 1 }, totalTimeout: Duration.millis(5_500) }, timeout: 22 },
  ] satisfies { what: string; props: Partial<HttpRelayProps>; timeout: number }[])(
    'the timeout of its function from $what',
    ({ props, timeout }) => {
      const { handler, queue } = made(props);
      expect([handler['Timeout'], queue?.VisibilityTimeout]).toEqual([timeout, 6 * timeout]);
    },
  );

  test('a smaller batch if a slow pace leaves no time for ten', () => {
    const { mapping, handler } = made({
      retryPolicy: { numRetries: 1 },
      maxReceivesPerSecond: 1,
      maximumConcurrency: 100,
    });
    expect([mapping['BatchSize'], handler['Timeout']]).toEqual([8, 15 + 8 * 100 + 15]);
  });

  test.each([
    ['fifty requests a second', {}, 50],
    ['fifty where each invocation may make one of them', { maximumConcurrency: 50 }, 50],
    ['as many as there are invocations where those are more', { maximumConcurrency: 51 }, 51],
    ['fifty where the invocations are not known before deployment', { maximumConcurrency: numberToken() }, 50],
    ['what is stated, and no more', { maximumConcurrency: 51, maxReceivesPerSecond: 7 }, 7],
  ])('a ceiling of %s', (_, props, maxReceivesPerSecond) => {
    const { handler } = made(props);
    expect(JSON.stringify(handler)).toContain(`\\"maxReceivesPerSecond\\":${maxReceivesPerSecond}`);
  });

  test('no pace for one invocation: its function gets the number of invocations that share the ceiling', () => {
    const reported = { maxReceivesPerSecond: 3, maximumConcurrency: 10 };
    expect(settingsOf(reported)).toMatchObject(reported);
  });

  test('the longest timeout of Lambda, and a whole batch, if the pace is known only at deployment', () => {
    const { mapping, handler, text } = made({ maxReceivesPerSecond: numberToken() });
    expect([mapping['BatchSize'], handler['Timeout']]).toEqual([10, 900]);
    expect(text).toMatch(/\\"maxReceivesPerSecond\\":",\{"Ref":"AWS::AccountId"\},",/);
  });

  test('a batch of one for FIFO, with a dead-letter queue of the same type', () => {
    const { mapping, queue, deadLetterQueue } = made({ fifo: true });
    expect(mapping).toMatchObject({ BatchSize: 1 });
    expect([queue?.FifoQueue, deadLetterQueue?.FifoQueue]).toEqual([true, true]);
  });

  test('what it can if values are known only at deployment, and else AWS’s maximum', () => {
    const { handler, queue, text } = made({
      totalTimeout: Duration.seconds(numberToken()),
      retryPolicy: { numRetries: numberToken() },
    });
    expect(handler['Timeout']).toBe(900);
    expect(queue).toMatchObject({ VisibilityTimeout: 5_400, RedrivePolicy: { maxReceiveCount: 1_000 } });
    expect(text).toMatch(/\\"totalTimeoutMs\\":",\{"Ref":"AWS::AccountId"\},"000,/);
  });
});

describe('A relay', () => {
  test('takes a whole retry policy, with SNS’s defaults for members that are left out', () => {
    const retryPolicy = {
      numRetries: 30,
      maxDelayTarget: Duration.hours(11),
      backoffFunction: BackoffFunction.GEOMETRIC,
    };
    expect(settingsOf({ retryPolicy })).toMatchObject({
      retryPolicy: {
        numRetries: 30,
        minDelayTarget: 20,
        maxDelayTarget: 39_600,
        numNoDelayRetries: 0,
        backoffFunction: 'geometric',
      },
    });
  });

  test('lets its role read its secrets and no others', () => {
    const stack = newStack();
    const headersSecret = new Secret(stack, 'Headers', { encryptionKey: new Key(stack, 'Key') });
    const signingSecret = Secret.fromSecretNameV2(stack, 'Signing', 'signing');
    const credentialsSecret = Secret.fromSecretNameV2(stack, 'Client', 'client');
    const tokenUrl = 'https://auth.example.com/token';
    const authorization = RelayAuthorization.oauthClientCredentials({ tokenUrl, credentialsSecret, scope: 'a b' });
    const { handler } = relayIn(stack, { headersSecret, signingSecret, authorization });
    expect(knownValue(stack, handler, 'RELAY_SETTINGS')['authorization']).toEqual({
      tokenUrl,
      credentialsSecretArn: expect.stringContaining('secret:client'),
      scope: 'a b',
    });
    const text = JSON.stringify(templateOf(stack).findResources('AWS::IAM::Role'));
    expect(text.match(/secretsmanager:\w+/g)).toEqual([
      'secretsmanager:GetSecretValue',
      'secretsmanager:GetSecretValue',
      'secretsmanager:GetSecretValue',
    ]);
    expect(text).toContain(':secret:client-??????');
    expect(text).toContain(':secret:signing-??????');
  });

  test('has its own permissions in its role, and those that a user grants later in a policy, so that no cycle follows', () => {
    const stack = newStack();
    const relay = relayIn(stack);
    // The key of the secret names the role, and the permission names the secret.
    new Secret(stack, 'Other', { encryptionKey: new Key(stack, 'Key') }).grantRead(relay.handler);
    const template = templateOf(stack);
    const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
    const [[, policy] = []] = policies.filter(([id]) => id.startsWith('RelayRole'));
    expect(JSON.stringify(policy?.Properties.PolicyDocument)).toContain('secretsmanager:GetSecretValue');
    expect(JSON.stringify(policy?.Properties.PolicyDocument)).not.toContain('sqs:');
    expect(policies.filter(([id]) => id.startsWith('Relay'))).toHaveLength(1);
    const functions = template.findResources('AWS::Lambda::Function', {
      DependsOn: Match.arrayWith([Match.stringLikeRegexp('^RelayRoleDefaultPolicy')]),
    });
    expect(Object.keys(functions)).toHaveLength(1);
  });

  test('hides a secret URL from its template', () => {
    const stack = newStack();
    const secret = new Secret(stack, 'Where');
    relayIn(stack, { endpoint: RelayEndpoint.fromSecret(secret, { field: 'url' }) });
    expect(settingsOf()).toHaveProperty('endpoint.url');
    expect(JSON.stringify(templateOf(stack).toJSON())).toContain('\\"field\\":\\"url\\"');
  });

  test('keeps its log for the stated time', () => {
    const { template } = made({ logRetention: RetentionDays.ONE_WEEK });
    template.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
  });

  test('reports all problems in one error, with its path', () => {
    const lines = problemsOf(
      () =>
        new HttpRelay(newStack(), 'Relay', {
          endpoint: RelayEndpoint.fromUrl('http://10.0.0.1/'),
          jitterPercent: 60,
          maximumConcurrency: 1,
          deadStatuses: [200],
        }),
    );
    expect(lines[0]).toBe('Stack/Relay has 5 problems:');
    expect(lines).toHaveLength(6);
  });

  test.each([
    [RelayMetric.DEAD_LETTERING_FAILED, 'Sum'],
    [RelayMetric.LATENCY, 'Average'],
    [RelayMetric.LATENESS, 'Maximum'],
    [RelayMetric.BREAKER_STATE, 'Maximum'],
  ])('has the metric %s of its own function', (metricName, statistic) => {
    const relay = relayIn(newStack());
    const dimensions = { FunctionName: relay.handler.functionName };
    expect(relay.metric(metricName)).toMatchObject({
      namespace: 'DeadLetterOffice/Relay',
      metricName,
      dimensions,
      statistic,
    });
  });
});

describe('The age alarm of a relay', () => {
  const THREE_MINUTES = { numRetries: 3, minDelayTarget: Duration.minutes(1), maxDelayTarget: Duration.minutes(1) };
  const off = { circuitBreaker: { enabled: false } };

  const alarmSeconds = (props: Partial<HttpRelayProps>): number => {
    const { template } = made({ jitterPercent: 0, ...props });
    const [[, { Properties }] = ['', { Properties: {} }]] = Object.entries(
      template.findResources('AWS::CloudWatch::Alarm'),
    ).filter(([id]) => id.startsWith('RelayQueueAgeAlarm'));
    return Properties['Threshold'];
  };

  test.each([
    ['as long as the schedule, its attempts included', {}, 295_336 + 94 * 15],
    [
      'no sooner than a quarter of an hour, the breaker’s rest and an invocation where that is short',
      { retryPolicy: THREE_MINUTES },
      900 + 300 + 31,
    ],
    [
      'later where the breaker rests longer',
      { retryPolicy: THREE_MINUTES, circuitBreaker: { probeInterval: Duration.hours(1) } },
      900 + 3_600 + 31,
    ],
    ['without the rest where there is no breaker', { retryPolicy: THREE_MINUTES, ...off }, 900 + 31],
    [
      'two hours before messages expire at the latest',
      {
        retryPolicy: THREE_MINUTES,
        retentionPeriod: Duration.hours(6),
        circuitBreaker: { probeInterval: Duration.hours(12) },
      },
      4 * 3_600,
    ],
    [
      'in half of the time messages are kept where that is short',
      {
        retryPolicy: { numRetries: 0 },
        retentionPeriod: Duration.minutes(62),
        circuitBreaker: { probeInterval: Duration.hours(12) },
      },
      31 * 60,
    ],
  ] satisfies [string, Partial<HttpRelayProps>, number][])('fires after %s', (_, props, seconds) => {
    expect(alarmSeconds(props)).toBe(seconds);
  });
});

describe('The alarms of a relay', () => {
  const alarmOf = (id: string, props: Partial<HttpRelayProps> = {}) => {
    const alarms = Object.entries(made(props).template.findResources('AWS::CloudWatch::Alarm'));
    return alarms.find(([name]) => name.startsWith(id))?.[1].Properties;
  };
  const expressionOf = (id: string) =>
    alarmOf(id)?.['Metrics'].flatMap(({ Expression }: { Expression?: string }) => Expression ?? []);

  // CloudWatch's guide to metric math: with FILL, the newest datapoint may always be a filled one.
  test('do not treat minutes without a metric as good', () => {
    expect(expressionOf('RelayFailureRateAlarm')).toEqual(['IF(attempts >= 10, 100 * failed / attempts, 0)']);
    expect(expressionOf('RelayUntakenAlarm')).toEqual(['IF(FILL(received, 0) + FILL(empty, 0) > 0, 0, due)']);
    expect(expressionOf('RelayLatenessAlarm')).toEqual(['IF(FILL(state, 0) > 0, 0, late)']);
  });

  test('watch lateness itself if no breaker stops the relay', () => {
    expect(alarmOf('RelayLatenessAlarm', { circuitBreaker: { enabled: false } })).toMatchObject({
      MetricName: 'Lateness',
      Statistic: 'Maximum',
      Threshold: 900_000,
    });
  });

  test('report untried messages after two of four periods of five minutes, and errors of the function at once', () => {
    expect(expressionOf('RelayUntriedAlarm')).toEqual(['FILL(untried, 0)']);
    expect(alarmOf('RelayUntriedAlarm')).toMatchObject({
      Threshold: 0,
      EvaluationPeriods: 4,
      DatapointsToAlarm: 2,
      TreatMissingData: 'notBreaching',
      AlarmActions: [expect.anything()],
    });
    expect(alarmOf('RelayBrokenAlarm')).toMatchObject({
      MetricName: 'Broken',
      Threshold: 0,
      EvaluationPeriods: 1,
      AlarmActions: [expect.anything()],
    });
  });
});

describe('A relay without a breaker', () => {
  const withIt = made();
  const without = made({ circuitBreaker: { enabled: false } });

  test('has all the resources of one with a breaker except the breaker’s, with the same ids', () => {
    const ids = ({ template }: typeof withIt) => Object.keys(template.toJSON().Resources);
    const more = ids(withIt).filter(id => !ids(without).includes(id));
    expect(ids(without).filter(id => !ids(withIt).includes(id))).toEqual([]);
    expect(
      more.filter(id => !/^(DeadLetterOfficeRelayBreaker|Relay(Breaker|StoppedAlarm|HalfOpenAlarm))/.test(id)),
    ).toEqual([]);
    expect(more.length).toBeGreaterThan(5);
  });

  test('may have a concurrency of 2', () => {
    const { mapping } = made({ circuitBreaker: { enabled: false }, maximumConcurrency: 2 });
    expect(mapping).toMatchObject({ ScalingConfig: { MaximumConcurrency: 2 } });
    expect(relayIn(newStack(), { circuitBreaker: { enabled: false } }).breaker).toBeUndefined();
  });
});

describe('The breaker of a relay', () => {
  const stack = newStack();
  const relay = relayIn(stack, { circuitBreaker: { thresholdPercent: 30, minimumAttempts: 7 } });
  const template = templateOf(stack);
  const alarmOf = (id: string) =>
    template.toJSON().Resources[stack.getLogicalId(relay.node.findChild(id).node.defaultChild as CfnElement)]
      .Properties;

  test('is invoked every five minutes and by its alarm, which notifies nothing else', () => {
    const [, { Properties: rule }] = only(template, 'AWS::Events::Rule');
    const prefix = { 'Fn::Join': ['', ['DeadLetterOfficeBreaker-', { Ref: 'AWS::StackName' }, '-']] };
    expect(rule).toMatchObject({
      ScheduleExpression: 'cron(2/5 * * * ? *)',
      EventPattern: {
        'detail-type': ['CloudWatch Alarm State Change'],
        detail: { alarmName: [{ prefix }], state: { value: ['ALARM'] } },
      },
    });
    const suffix = expect.stringMatching(/^-Relay-[0-9a-f]{8}$/);
    expect(alarmOf('BreakerAlarm').AlarmName).toEqual({
      'Fn::Join': ['', ['DeadLetterOfficeBreaker-', { Ref: 'AWS::StackName' }, suffix]],
    });
    const alarm = alarmOf('BreakerAlarm');
    expect(alarm).toMatchObject({ Threshold: 30, EvaluationPeriods: 2 });
    expect(JSON.stringify(alarm.Metrics)).toContain(
      'IF(attempts >= 7, 100 * (failed - IF(delivered > 0, refused, 0)) / attempts, 0)',
    );
    expect(alarm).not.toHaveProperty('AlarmActions');
  });

  test('notifies people when it stops the relay until the relay runs again, and when it fails itself', () => {
    expect(alarmOf('StoppedAlarm')).toMatchObject({
      MetricName: 'BreakerState',
      Threshold: 1,
      ComparisonOperator: 'GreaterThanThreshold',
      Period: 300,
      EvaluationPeriods: 6,
      DatapointsToAlarm: 3,
      TreatMissingData: 'ignore',
      AlarmActions: [expect.anything()],
    });
    const { breaker } = relay;
    const FunctionName = stack.resolve(breaker?.functionName);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: FunctionName }],
      Period: 300,
      EvaluationPeriods: 1,
      AlarmActions: [Match.anyValue()],
    });
  });

  test('runs less often if a slow pace makes a probe long, so that a probe ends before the next', () => {
    const slow = made({ retryPolicy: { numRetries: 1 }, maxReceivesPerSecond: 1, maximumConcurrency: 100 });
    const environment = { Variables: { RELAY_BREAKER_FUNCTIONS: Match.anyValue() } };
    slow.template.hasResourceProperties('AWS::Lambda::Function', { Timeout: 890, Environment: environment });
    const settings = breakerSettingsOf({ maxReceivesPerSecond: numberToken() });
    expect(settings).toMatchObject({ tickMs: 900_000, functionTimeoutMs: 900_000 });
  });

  test('gets the time to rest as a setting, even if that is known only at deployment', () => {
    expect(breakerSettingsOf()).toMatchObject({
      configuredConcurrency: 5,
      settleMs: 347_000,
      probeIntervalMs: 300_000,
      tickMs: 300_000,
      functionTimeoutMs: 47_000,
      retentionMs: 864_000_000,
    });
    const hourly = { circuitBreaker: { probeInterval: Duration.hours(1) } };
    expect(breakerSettingsOf(hourly)).toMatchObject({ probeIntervalMs: 3_600_000, tickMs: 300_000 });
    const unknown = { circuitBreaker: { probeInterval: Duration.seconds(numberToken()) } };
    expect(breakerSettingsOf(unknown)).toMatchObject({ probeIntervalMs: 7_000 });
  });

  test('may change the one mapping, try one message of the one queue, and read alarms', () => {
    const policies = template.findResources('AWS::IAM::Policy');
    const [, policy] = Object.entries(policies).find(([id]) => id.startsWith('DeadLetterOfficeRelayBreaker')) ?? [];
    const statements: { Action: unknown; Resource: unknown }[] = policy?.Properties.PolicyDocument.Statement;
    expect(statements.map(({ Action }) => Action)).toEqual([
      ['logs:CreateLogStream', 'logs:PutLogEvents'],
      'cloudwatch:DescribeAlarms',
      ['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping'],
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
      'lambda:InvokeFunction',
    ]);
    expect(statements.map(({ Resource }) => Resource)).not.toContain('*');
  });

  test('is not invoked again after an error, or for events older than a tick', () => {
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: stack.resolve(relay.breaker?.functionName),
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 300,
    });
  });

  test('is closed by a deployment that changes the mapping, because that enables the mapping', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      Enabled: true,
      ScalingConfig: { MaximumConcurrency: 5 },
    });
  });

  test('judges by as many minutes as an invocation may take, and waits for their metrics', () => {
    const slow = { totalTimeout: Duration.minutes(4), retryPolicy: { numRetries: 1 } };
    const alarms = Object.values(made(slow).template.findResources('AWS::CloudWatch::Alarm'));
    const [breakerAlarm] = alarms.filter(({ Properties }) => Properties.AlarmDescription.includes('The breaker stops'));
    const periods = breakerAlarm?.Properties.Metrics.flatMap(
      ({ MetricStat, Period }: { MetricStat?: { Period: number }; Period?: number }) =>
        MetricStat?.Period ?? Period ?? [],
    );
    expect(new Set(periods)).toEqual(new Set([300]));
    expect(breakerSettingsOf(slow)).toMatchObject({ settleMs: 300_000 + 256_000, functionTimeoutMs: 256_000 });
  });

  test('leaves its queue enough receives to look for expiring messages, and no more without a breaker', () => {
    const retryPolicy = { numRetries: 3 };
    const count = (props: Partial<HttpRelayProps>) =>
      made({ retryPolicy, ...props }).queue?.RedrivePolicy.maxReceiveCount;
    expect(count({})).toBe(4 + 10 + 20);
    expect(count({ retentionPeriod: Duration.hours(3) })).toBe(4 + 10 + 8);
    expect(count({ circuitBreaker: { enabled: false } })).toBe(4 + 10);
  });
});

test('A topic with a relay gives it its type, its key and its alarm actions, unless others are stated', () => {
  const stack = newStack();
  const masterKey = new Key(stack, 'TopicKey');
  const topic = new DurableTopic(stack, 'Topic', {
    fifo: true,
    masterKey,
    alarmActions: [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })],
  });
  const ofTopic = topic.relayToEndpoint('A', URL);
  expect([ofTopic.queue.fifo, ofTopic.queue.encryptionMasterKey]).toEqual([true, masterKey]);
  expect(ofTopic.node.path).toBe('Stack/Topic/Deliveries/ARelay');
  expect(warningIds(stack)).toEqual([]);
  const encryptionMasterKey = new Key(stack, 'RelayKey');
  expect(topic.relayToEndpoint('B', URL, { encryptionMasterKey }).queue.encryptionMasterKey).toBe(encryptionMasterKey);
  expect(topic.deliveries.map(({ id, queue }) => [id, queue?.node.path])).toEqual([
    ['A', 'Stack/Topic/Deliveries/ARelay/Queue'],
    ['B', 'Stack/Topic/Deliveries/BRelay/Queue'],
  ]);
});

describe('The dead letters of a delivery to a relay', () => {
  const subscriptionOf = (fill: (topic: DurableTopic, stack: Stack) => void) => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic', {
      alarmActions: [new OpsTopic(stack, 'Ops', { email: 'o@x.org' })],
    });
    fill(topic, stack);
    const template = templateOf(stack);
    const subscriptions = Object.values(
      template.findResources('AWS::SNS::Subscription', { Properties: { Protocol: 'sqs' } }),
    );
    return { template, target: JSON.stringify(subscriptions[0]?.Properties.RedrivePolicy.deadLetterTargetArn) };
  };
  const queuesOf = (template: ReturnType<typeof templateOf>) => Object.keys(template.findResources('AWS::SQS::Queue'));

  test('go to the queue of the relay, which SNS may use, also if the deliveries of the topic share one', () => {
    const { template, target } = subscriptionOf(topic => topic.relayToEndpoint('Partner', URL));
    expect(queuesOf(template)).toHaveLength(2);
    expect(target).toContain('PartnerRelayQueueDeadLetterQueue');
    const shared = subscriptionOf((_, stack) => {
      new DurableTopic(stack, 'Shared', { sharedDeadLetterQueue: true }).relayToEndpoint('Partner', URL);
    });
    expect(shared.target).toContain('PartnerRelayQueueDeadLetterQueue');
  });

  test('go to another queue if the delivery states one, or alarm actions of its own', () => {
    const stated = subscriptionOf((topic, stack) => {
      const deadLetterQueue = new DeadLetterQueue(stack, 'Stated');
      topic.deliverToRelay('Partner', relayOf(stack), { deadLetterQueue });
    });
    expect(stated.target).toContain('Stated');
    const own = subscriptionOf((topic, stack) => {
      topic.deliverToRelay('Partner', relayOf(stack), {
        alarmActions: [new OpsTopic(stack, 'Other', { email: 'o@x.org' })],
      });
    });
    expect(queuesOf(own.template)).toHaveLength(3);
    expect(own.target).toContain('TopicDeliveriesPartnerDeadLetterQueue');
  });

  test('of a FIFO topic go to a queue that deduplicates by content', () => {
    const { template } = subscriptionOf((_, stack) => {
      new DurableTopic(stack, 'Fifo', { fifo: true, contentBasedDeduplication: true }).relayToEndpoint('Partner', URL);
    });
    template.hasResourceProperties('AWS::SQS::Queue', {
      FifoQueue: true,
      ContentBasedDeduplication: true,
      RedrivePolicy: Match.absent(),
    });
  });
});

/** A relay without anything else. */
function relayOf(stack: Stack): HttpRelay {
  return new HttpRelay(stack, 'Relay', { endpoint: RelayEndpoint.fromUrl(URL) });
}

test('The breakers of a stack notify five actions at most, and a warning reports more', () => {
  const stack = newStack();
  const relays = Array.from({ length: 6 }, (_, index) => {
    const alarmActions = [new OpsTopic(stack, `Ops${index}`, { email: `ops${index}@example.com` })];
    return new HttpRelay(stack, `Relay${index}`, { endpoint: RelayEndpoint.fromUrl(`${URL}/${index}`), alarmActions });
  });
  expect(relays).toHaveLength(6);
  const [alarm] = Object.entries(templateOf(stack).findResources('AWS::CloudWatch::Alarm')).flatMap(([id, it]) =>
    id.startsWith('DeadLetterOfficeRelayBreaker') ? [it] : [],
  );
  expect(alarm?.['Properties'].AlarmActions).toHaveLength(5);
  expect(warningIds(stack)).toEqual(['breaker-alarm-full']);
});
