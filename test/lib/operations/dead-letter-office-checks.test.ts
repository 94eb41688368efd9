import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type App,
  CfnParameter,
  CfnResource,
  CfnStack,
  Duration,
  type IPolicyValidationContextBeta1,
  NestedStack,
  Stack,
  Stage,
  Validations,
} from 'aws-cdk-lib';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { CHECKS } from '../../../diagnosis/checks/check-inventory';
import { DeadLetterOfficeChecks, type DeadLetterOfficeChecksProps, FindingSeverity } from '../../../lib';
import { newApp } from '../support';

interface Violation {
  readonly ruleName: string;
  readonly description: string;
  readonly suggestedFix: string;
  readonly severity: string;
  readonly violatingConstructs: readonly {
    readonly constructPath: string;
    readonly cloudFormationResource: { readonly logicalId: string; readonly propertyPaths?: readonly string[] };
  }[];
}

interface Report {
  readonly conclusion: string;
  readonly violations: readonly Violation[];
  readonly suppressedViolations?: readonly { readonly ruleName: string; readonly reason: string }[];
}

const MANY_RECEIVES = 'receive-count-out-of-range';
const EXPIRES = 'dead-letters-expire-early';

/** CDK prints its report there. */
beforeEach(() => {
  jest.spyOn(console, 'error').mockImplementation(() => {});
});

/** Synthesizes an app. Returns the validation report, and the error. */
function synthesize(fill: (app: App) => void, props?: DeadLetterOfficeChecksProps) {
  const app = newApp();
  const checks = new DeadLetterOfficeChecks(props);
  Validations.of(app).addPlugins(checks);
  fill(app);
  let stopped: string | undefined;
  try {
    app.synth();
  } catch (error) {
    stopped = String(error);
  }
  const file = path.join(app.outdir, 'validation-report.json');
  const { pluginReports } = JSON.parse(readFileSync(file, 'utf8'));
  const report: Report | undefined = pluginReports.find(
    ({ pluginName }: { pluginName: string }) => pluginName === checks.name,
  );
  const violations = report?.violations ?? [];
  return { report, violations, stopped, ids: violations.map(({ ruleName }) => ruleName) };
}

const inStack = (fill: (stack: Stack) => void) => (app: App) => fill(new Stack(app, 'Test'));

/** Adds a queue with this `maxReceiveCount`, and a dead-letter queue that keeps messages long enough. */
function receives(scope: Construct, maxReceiveCount: number, id = 'Orders'): Queue {
  const dead = new Queue(scope, `${id}Dead`, { retentionPeriod: Duration.days(14) });
  return new Queue(scope, id, { deadLetterQueue: { queue: dead, maxReceiveCount } });
}

describe('DeadLetterOfficeChecks', () => {
  test('stops synthesis for what AWS rejects, and says where, why, how to fix it, and where to read on', () => {
    const { violations, stopped } = synthesize(inStack(stack => receives(stack, 1_001)));
    expect(stopped).toMatch(MANY_RECEIVES);
    const [violation] = violations.filter(({ ruleName }) => ruleName === MANY_RECEIVES);
    expect(violation).toMatchObject({
      severity: 'error',
      description: expect.stringContaining('1001'),
      suggestedFix: expect.stringMatching(/https:\/\/.*\/docs\/doctor\.md#receive-count-out-of-range/),
      violatingConstructs: [
        {
          constructPath: 'Test/Orders/Resource',
          cloudFormationResource: { propertyPaths: [expect.stringContaining('Properties.RedrivePolicy')] },
        },
      ],
    });
  });

  test('reports findings of lower severity without stopping synthesis', () => {
    const { violations, stopped, report } = synthesize(inStack(stack => receives(stack, 5)));
    expect([stopped, report?.conclusion]).toEqual([undefined, 'success']);
    expect(violations.map(({ ruleName, severity }) => [ruleName, severity])).toContainEqual([
      'dead-letters-unwatched',
      'warning',
    ]);
  });

  test.each<[FindingSeverity[], boolean]>([
    [[FindingSeverity.REJECTED, FindingSeverity.LOSES, FindingSeverity.UNWATCHED], true],
    [[], false],
  ])('stops synthesis at the severity that its user states: %j', (failOn, stops) => {
    const { stopped } = synthesize(
      inStack(stack => receives(stack, 5)),
      { failOn },
    );
    expect(stopped !== undefined).toBe(stops);
  });

  test('ignores an acknowledged id, with its reason, for a construct and all constructs below it', () => {
    const reason = 'It is tried for a year, until somebody answers.';
    const { report, stopped, violations } = synthesize(
      inStack(stack => {
        for (const id of ['Orders', 'Returns']) {
          const queue = receives(stack, 1_001, id);
          if (id === 'Orders')
            Validations.of(queue).acknowledge({ id: `dead-letter-office::${MANY_RECEIVES}`, reason });
        }
      }),
    );
    expect(report?.suppressedViolations).toMatchObject([{ ruleName: MANY_RECEIVES, reason }]);
    const left = violations.filter(({ ruleName }) => ruleName === MANY_RECEIVES);
    expect(left.flatMap(it => it.violatingConstructs.map(({ constructPath }) => constructPath))).toEqual([
      'Test/Returns/Resource',
    ]);
    expect(stopped).toBeDefined();
  });

  test('reports a finding about several resources once, with a construct for each', () => {
    const acknowledged = 'Refunds';
    const { violations, report } = synthesize(
      inStack(stack => {
        for (const id of ['Orders', 'Returns', acknowledged]) receives(stack, 5, id);
        Validations.of(stack.node.findChild(`${acknowledged}Dead`)).acknowledge({
          id: 'dead-letter-office::dead-letters-unwatched',
          reason: 'A person looks each morning.',
        });
      }),
    );
    const [unwatched, ...others] = violations.filter(({ ruleName }) => ruleName === 'dead-letters-unwatched');
    expect(others).toEqual([]);
    expect(unwatched?.violatingConstructs.map(({ constructPath }) => constructPath)).toEqual([
      'Test/OrdersDead/Resource',
      'Test/ReturnsDead/Resource',
    ]);
    expect(unwatched?.description).toBe(
      'No alarm reports the dead letters in … that come from …. This is so for 2 resources: Test/OrdersDead with Test/Orders; Test/ReturnsDead with Test/Returns.',
    );
    expect(report?.suppressedViolations).toMatchObject([
      { description: 'No alarm reports the dead letters in Test/RefundsDead that come from Test/Refunds.' },
    ]);
  });

  test('stops nothing once all findings that would are acknowledged', () => {
    const { stopped } = synthesize(
      inStack(stack => {
        receives(stack, 1_001);
        Validations.of(stack).acknowledge({ id: `dead-letter-office::${MANY_RECEIVES}`, reason: 'For the test.' });
      }),
    );
    expect(stopped).toBeUndefined();
  });

  test('reads all stacks of a stage together, and each stage by itself', () => {
    const { ids, stopped, violations } = synthesize(app => {
      for (const name of ['Dev', 'Prod']) {
        const stage = new Stage(app, name);
        const [shared, orders] = [new Stack(stage, 'Shared'), new Stack(stage, 'Orders')];
        // Four days in one stage, the same as the source queue, and fourteen in the other.
        const retentionPeriod = Duration.days(name === 'Dev' ? 4 : 14);
        const queue = new Queue(shared, 'Dead', { queueName: 'dead', retentionPeriod });
        new Queue(orders, 'Queue', { deadLetterQueue: { queue, maxReceiveCount: 5 } });
      }
    });
    expect(ids.filter(id => id === EXPIRES)).toHaveLength(1);
    const [expires] = violations.filter(({ ruleName }) => ruleName === EXPIRES);
    expect(expires?.violatingConstructs.map(({ constructPath }) => constructPath)).toEqual([
      'Dev/Shared/Dead/Resource',
    ]);
    expect(stopped).toBeDefined();
  });

  test('reads nested stacks with the values that their parents pass', () => {
    const { violations } = synthesize(
      inStack(stack => {
        const dead = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(4) });
        const nested = new NestedStack(stack, 'Nested');
        const queue = new Queue(nested, 'Queue', { deadLetterQueue: { queue: dead, maxReceiveCount: 5 } });
        new Topic(nested, 'Topic').addSubscription(new SqsSubscription(queue));
      }),
    );
    const found = violations.map(({ ruleName, violatingConstructs }) => [
      ruleName,
      violatingConstructs[0]?.constructPath,
    ]);
    expect(found).toContainEqual([EXPIRES, 'Test/Dead/Resource']);
    expect(found).toContainEqual(['no-dead-letter-queue', expect.stringContaining('Test/Nested/Queue/')]);
  });

  test('reports nothing that a parameter decides', () => {
    const { ids } = synthesize(
      inStack(stack => {
        const { valueAsNumber } = new CfnParameter(stack, 'Receives', { type: 'Number', default: 5_000 });
        receives(stack, valueAsNumber);
      }),
    );
    expect(ids).not.toContain(MANY_RECEIVES);
  });

  test('names the templates that it cannot read', () => {
    const { violations } = synthesize(app => {
      inStack(stack => receives(stack, 5))(app);
      const sam = new Stack(app, 'Sam');
      sam.addTransform('AWS::Serverless-2016-10-31');
      new CfnResource(sam, 'Function', { type: 'AWS::Serverless::Function' });
    });
    expect(violations).toMatchObject([
      { ruleName: 'template-not-read', severity: 'info', description: expect.stringContaining('Sam is not read') },
    ]);
  });

  test('names a nested stack that is not JSON, and then reports no alarm as missing', () => {
    const { violations } = synthesize(
      inStack(stack => {
        receives(stack, 5);
        const file = path.join(mkdtempSync(path.join(tmpdir(), 'nested-')), 'alarms.yaml');
        writeFileSync(file, 'Resources: {}');
        const template = new Asset(stack, 'Alarms', { path: file });
        const nested = new CfnStack(stack, 'Nested', { templateUrl: template.httpUrl });
        template.addResourceMetadata(nested, 'TemplateURL');
      }),
    );
    expect(violations.map(({ ruleName, description }) => [ruleName, description])).toEqual([
      ['template-not-read', 'A nested stack in Test is not read: the assembly has no template in JSON.'],
    ]);
  });

  test('finds the same with an older CDK, which passes only the files of the templates to a plugin', () => {
    const app = newApp();
    receives(new NestedStack(new Stack(app, 'Outer'), 'Inner'), 1_002);
    receives(new Stack(new Stage(app, 'Prod'), 'Shop'), 1_001);
    const assembly = app.synth();
    const templatePaths = assembly.stacksRecursively.map(({ templateFullPath }) => templateFullPath);
    const { success, violations } = new DeadLetterOfficeChecks().validate({
      templatePaths,
    } as IPolicyValidationContextBeta1);
    expect(success).toBe(false);
    const received = violations.filter(({ ruleName }) => ruleName === MANY_RECEIVES);
    expect(received.map(({ description }) => description)).toEqual([
      expect.stringContaining('Outer/Inner/Orders'),
      expect.stringContaining('Prod/Shop/Orders'),
    ]);
  });

  test('names the templates that it cannot read with an older CDK too', () => {
    const app = newApp();
    const sam = new Stack(app, 'Sam');
    sam.addTransform('AWS::Serverless-2016-10-31');
    new CfnResource(sam, 'Function', { type: 'AWS::Serverless::Function' });
    const templatePaths = app.synth().stacks.map(({ templateFullPath }) => templateFullPath);
    const { violations } = new DeadLetterOfficeChecks().validate({ templatePaths } as IPolicyValidationContextBeta1);
    expect(violations).toMatchObject([{ ruleName: 'template-not-read', violatingResources: [] }]);
  });

  test('lists its rules', () => {
    expect(new DeadLetterOfficeChecks()).toMatchObject({
      name: 'dead-letter-office',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      ruleIds: CHECKS.map(({ id }) => id),
    });
  });
});
