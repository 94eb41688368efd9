import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type App, Lazy, Stack, Stage, Validations } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { CostReport, type CostReportProps } from '../../../lib';
import { newApp } from '../support';

/** CDK prints its report there. */
beforeEach(() => {
  jest.spyOn(console, 'error').mockImplementation(() => {});
});

interface Violation {
  readonly ruleName: string;
  readonly description: string;
  readonly severity: string;
}

function reportsOf({ outdir }: App): readonly Violation[] {
  const { pluginReports } = JSON.parse(readFileSync(path.join(outdir, 'validation-report.json'), 'utf8'));
  return pluginReports.flatMap((it: { violations: Violation[] }) => it.violations);
}

/** Synthesizes an app with two keys and a topic. Returns what is reported, and the error. */
function reported(props?: CostReportProps) {
  const app = newApp();
  Validations.of(app).addPlugins(new CostReport(props));
  const work = new Stack(app, 'Work');
  new Key(work, 'Key');
  new Topic(work, 'Topic');
  new Key(new Stack(new Stage(app, 'Prod'), 'Other'), 'Key');
  let stopped = '';
  try {
    app.synth();
  } catch (error) {
    stopped = String(error);
  }
  return { stopped, violations: reportsOf(app) };
}

describe('CostReport', () => {
  test('reports the cost of each stack, and does not stop synthesis', () => {
    const { stopped, violations } = reported();
    expect(stopped).toBe('');
    expect(violations.map(({ ruleName, severity }) => `${severity} ${ruleName}`)).toEqual([
      'info stack-cost',
      'info stack-cost',
    ]);
    const texts = violations.map(({ description }) => description).sort();
    expect(texts[1]).toMatch(
      /^Work costs 1\.00 US dollars in a month without messages, by list prices of us-east-1, looked up on [\d-]+ \(Work\/Key 1\.00\), and 0\.50 for a million messages at each place where they enter\. It has 2 resources, 0 of them alarms\.$/,
    );
    expect(texts[0]).toMatch(/^Prod-Other costs 1\.00 US dollars .* \(Prod\/Other\/Key 1\.00\), and 0\.00 for/);
  });

  test('reports a minimum for a stack with resources without a price, and names them', () => {
    const app = newApp();
    Validations.of(app).addPlugins(new CostReport({ maxIdleDollarsPerMonth: 0 }));
    const stack = new Stack(app, 'Work');
    new Key(stack, 'Key');
    new Bucket(stack, 'Bucket');
    expect(() => app.synth()).toThrow();
    const texts = reportsOf(app).map(({ description }) => description);
    expect(texts).toEqual([
      expect.stringMatching(/^The app costs at least 1\.00 US dollars/),
      expect.stringMatching(/^Work costs at least 1\.00 .*, and at least 0\.00 for .* Not priced: 1 S3 bucket\.$/),
    ]);
  });

  test('stops the synthesis of an app that costs more than its limit', () => {
    const { stopped, violations } = reported({ maxIdleDollarsPerMonth: 1.5 });
    expect(stopped).not.toBe('');
    expect(violations).toContainEqual(
      expect.objectContaining({
        ruleName: 'app-costs-too-much',
        severity: 'error',
        description: expect.stringMatching(/^The app costs 2\.00 US dollars .* and it may cost 1\.50\.$/),
      }),
    );
  });

  test.each([2, undefined, Lazy.number({ produce: () => 1 })])('accepts a limit of %d', most => {
    expect(reported(most === undefined ? {} : { maxIdleDollarsPerMonth: most }).stopped).toBe('');
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a limit of %d', most => {
    expect(() => new CostReport({ maxIdleDollarsPerMonth: most })).toThrow(
      `maxIdleDollarsPerMonth must be a number of US dollars, 0 or more, got ${most}`,
    );
  });

  test.each<[unknown, string]>([
    ['20', 'maxIdleDollarsPerMonth must be a number'],
    [null, 'maxIdleDollarsPerMonth must be a number'],
  ])('refuses a limit of %p from JavaScript', (most, message) => {
    expect(() => Reflect.construct(CostReport, [{ maxIdleDollarsPerMonth: most }])).toThrow(message);
  });
});
