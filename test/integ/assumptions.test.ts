import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { assemblyOf } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { askAll, type Finding, PROBES } from './assumptions/ask';
import type { ProbedAws } from './assumptions/probe';
import { AssumptionStack } from './assumptions/stack';

describe('the probes of assumptions in the embedded AWS', () => {
  let findings: readonly Finding[];

  beforeAll(async () => {
    const deployed = await Deployed.assembly(assemblyOf(app => void new AssumptionStack(app, PROBES)));
    const { aws, sns, sqs } = deployed;
    const settings = { ...aws.clientConfig(), maxAttempts: 1 };
    const probed: ProbedAws = {
      sns,
      sqs,
      lambda: new LambdaClient(settings),
      cloudWatch: new CloudWatchClient(settings),
      logs: new CloudWatchLogsClient(settings),
      events: new EventBridgeClient(settings),
      scheduler: new SchedulerClient(settings),
      output: name => aws.output(name),
      run: async call => (await Promise.all([call, aws.advance({ seconds: 10 })]))[0],
      nowMs: () => aws.nowMs,
      pass: async seconds => void (await aws.advance({ seconds })),
    };
    findings = await askAll(PROBES, probed, { together: false });
  });

  test.each(PROBES.map(({ id }) => id))('%s finds what is assumed, and leaves nothing behind', id => {
    const finding = findings.find(it => it.id === id);
    expect(finding).toMatchObject({ did: finding?.assumed, holds: true });
    expect(finding?.left).toBeUndefined();
  });
});

test('the rows of docs/assumptions.md that a probe settles are those that have one', () => {
  const list = readFileSync(path.resolve(__dirname, '../../docs/assumptions.md'), 'utf8');
  const rows = [...list.matchAll(/^\| ([A-Z]+-\d+) \|.*\| \*\*probe\*\*, /gm)].map(([, id = '']) => id);
  expect(PROBES.map(({ id }) => id).sort()).toEqual(rows.sort());
});
