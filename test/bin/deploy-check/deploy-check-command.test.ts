import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { deployCheckCommand } from '../../../bin/deploy-check/deploy-check-command';
import { run } from '../../../bin/shared/command-line';
import { arnOf, FAN_OUT, policy, queue } from '../../local/deploy-check/app-templates';
import { assemblyOfTemplates } from '../../support/assembly';
import { MemoryIo } from '../shared/memory-io';

const before = assemblyOfTemplates({ Test: { Resources: FAN_OUT } });

const UNKNOWN_POLICY = 'arn:aws:iam::aws:policy/NobodyKnowsThisOne';

/** Runs `dlo deploy-check` with these arguments. */
async function deployCheck(...args: readonly string[]) {
  const io = new MemoryIo();
  const exitCode = await run(new Command('dlo').addCommand(deployCheckCommand(io)), ['deploy-check', ...args], io);
  return { exitCode, out: io.out, err: io.err };
}

describe('dlo deploy-check', () => {
  test('says that a deployment is safe', async () => {
    const { exitCode, out, err } = await deployCheck(before, before);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^The update succeeds after 0 s\. \d+ messages sent\.\n\nEvery message arrived as from the old version\./,
    );
    expect(out).toContain('Safe: every receiver gets what it gets today.');
  });

  test('says what a deployment loses, and why, and ends with 1', async () => {
    const after = assemblyOfTemplates({ Test: { Resources: { ...FAN_OUT, Dlq: queue({ QueueName: 'other' }) } } });
    const { exitCode, out, err } = await deployCheck(before, after, '--operation-seconds', '5');
    expect([exitCode, err]).toEqual([1, 'dlo: the deployment is not safe\n']);
    expect(out).toMatch(
      /^Test\/Dlq: \d of \d messages are lost\. Sent from -600 s to -?\d+ s after the update began$/m,
    );
    expect(out).toMatch(
      /^ {2}\d+ lost: it was in Test-Dlq-\w+ when the queue was deleted; CloudFormation deletes Test\/Dlq from 10 s to 15 s$/m,
    );
    expect(out).toMatch(/^ {2}If these may be lost: --accept Test\/Dlq:lost$/m);
    expect(out).toMatch(/^ {2}loses +Test\/Dlq: The update replaces the queue: what it holds is lost\.$/m);
    const json = await deployCheck(before, after, '--json');
    expect(JSON.parse(json.out)).toMatchObject({ verdict: 'unsafe', receivers: [{ receiver: 'Test/Dlq' }] });
  });

  test('passes a change that is accepted, and ends with 3 for a gap until it is allowed', async () => {
    const { Mapping, ...others } = FAN_OUT;
    const Role = { ...FAN_OUT.Role, Properties: { ...FAN_OUT.Role.Properties, ManagedPolicyArns: [UNKNOWN_POLICY] } };
    const after = assemblyOfTemplates({ Test: { Resources: others } });
    const stopped = await deployCheck(before, after);
    expect(stopped.exitCode).toBe(1);
    expect(stopped.out).toMatch(/^ {2}25 waiting: it waits in Test\/Queue, .*deletes Test\/Mapping from 0 s to 10 s$/m);
    const accept = ['--accept', 'Test/Worker:stops-arriving', '--accept', 'Test/Dlq:left-behind'];
    const accepted = await deployCheck(before, after, ...accept);
    expect([accepted.exitCode, accepted.err]).toEqual([0, '']);
    expect(accepted.out).toContain('  Accepted.\n');
    const { Policies, ...withoutPolicies } = Role.Properties;
    const unlisted = assemblyOfTemplates({
      Test: { Resources: { ...FAN_OUT, Role: { ...Role, Properties: withoutPolicies } } },
    });
    const unknown = await deployCheck(unlisted, unlisted);
    expect([unknown.exitCode, unknown.err]).toEqual([3, 'dlo: it is unknown whether the deployment is safe\n']);
    expect(unknown.out).toMatch(/^ {2}unknown Test\/Role: .*NobodyKnowsThisOne/m);
    const allowed = await deployCheck(unlisted, unlisted, '--allow-unknown', 'Test/Role');
    expect(allowed.exitCode).toBe(0);
    expect(allowed.out).toMatch(/^ {2}note {4}Test\/Role: /m);
  });

  test('says how many messages are published to nobody, and what it does not follow', async () => {
    const { Sub, ...others } = FAN_OUT;
    const Rule = {
      Type: 'AWS::Events::Rule',
      Properties: { EventPattern: { account: ['210987654321'] }, Targets: [{ Id: 'q', Arn: arnOf('Queue') }] },
    };
    const { out } = await deployCheck(
      before,
      assemblyOfTemplates({ Test: { Resources: { ...others, NewSub: Sub, Rule } } }),
    );
    expect(out).toMatch(/^\d+ messages were published to nobody: no subscription or rule took them\.$/m);
    expect(out).toMatch(
      /^What the check does not follow:\n {2}note {4}Test\/Rule: no event was found that matches its pattern/m,
    );
  });

  test('says that what the templates show can lose messages, where the simulation loses none', async () => {
    const senders = (...names: readonly string[]) =>
      assemblyOfTemplates({ Test: { Resources: { Queue: queue(), Policy: policy('Queue', names) } } });
    const { exitCode, out } = await deployCheck(senders('sns', 's3'), senders('sns'));
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^ {2}tried +Test\/Policy: .*\n\nSafe for the messages of the check\. /m);
  });

  test('compares templates of the same name, with parameters', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'dlo-templates-'));
    const Parameters = { Name: { Type: 'String' } };
    const templates = ['old', 'new'].map((version, DelaySeconds) => {
      const file = path.join(folder, version, 'orders.json');
      mkdirSync(path.dirname(file));
      const Resources = { Queue: queue({ QueueName: { Ref: 'Name' }, DelaySeconds }) };
      writeFileSync(file, JSON.stringify({ Parameters, Resources }));
      return file;
    });
    const { exitCode, out } = await deployCheck(...templates, '--parameter', 'Name=orders');
    rmSync(folder, { recursive: true });
    expect([exitCode, out]).toEqual([0, expect.stringMatching(/^The update succeeds after 10 s\./)]);
  });

  test.each([
    ['an assembly that does not exist', [before, '/nowhere'], /there is no cloud assembly at \/nowhere/],
    [
      'an app of other stacks',
      [before, assemblyOfTemplates({ Next: { Resources: FAN_OUT } })],
      /must have a stack of the old one, which has Test: it has Next/,
    ],
    ['a parameter without a value', [before, before, '--parameter', 'Name'], /It must be Name=Value/],
    [
      'a receiver that does not exist',
      [before, before, '--accept', 'Test/Wroker:lost'],
      /accept must name a receiver that exists, got Test\/Wroker: did you mean Test\/Worker/,
    ],
    [
      'a kind that does not exist',
      [before, before, '--accept', 'Test/Worker:gone'],
      /must be RECEIVER:KIND, with a kind of/,
    ],
    [
      'a gap of nothing',
      [before, before, '--allow-unknown', 'Test/Quue'],
      /must name a resource .* did you mean Test\/Queue/,
    ],
    [
      'a parameter that no template has',
      [before, before, '--parameter', 'Stage=a'],
      /parameter Stage has a value, but no/,
    ],
    ['a time that is no number', [before, before, '--operation-seconds', 'x'], /must be a number from 0 to 3600/],
  ])('refuses %s', async (_, args, text) => {
    const { exitCode, err } = await deployCheck(...args);
    expect(exitCode).toBe(2);
    expect(err).toMatch(text);
  });
});
