import { readFileSync, writeFileSync } from 'node:fs';
import { type Template, templateFiles } from './assembly';
import { comeOverPlainHttp, isSame, outcomeOf, type Use, useEverything } from './everyday-use';
import { type Grain, type Grant, grantsOf } from './statements';

/** What may be taken away without anybody noticing, and why it stays nevertheless. */
const UNNOTICED: readonly { readonly grant: RegExp; readonly because: string }[] = [
  {
    grant: /DeliveryStatusRole.* logs:(CreateLogGroup|PutMetricFilter|PutRetentionPolicy)$/,
    because: 'AWS documents the role of delivery-status logging with them; here SNS finds the log groups there',
  },
  {
    grant: / firehose:(DescribeDeliveryStream|ListDeliveryStreams|ListTagsForDeliveryStream|PutRecordBatch)$/,
    because: 'AWS documents the role of a Firehose subscription with them; here SNS puts one record at a time',
  },
  {
    grant: /^LogKey\w+ kms:(Encrypt|ReEncrypt|Describe)\*$/,
    because: 'AWS documents the policy of a key that encrypts log groups with them; here CloudWatch Logs asks for two',
  },
  {
    grant: / sqs:(ChangeMessageVisibility|GetQueueUrl)$/,
    because: 'the event source of aws-cdk-lib gives them to every function that consumes a queue',
  },
];

/** How the grants of an assembly are tried. */
export interface Trial {
  readonly grain: Grain;
  /** What is done with it beside what is done with every stack. */
  readonly more?: Use;
  /** The logical ids of what aws-cdk-lib alone asks for. */
  readonly notOurs?: RegExp;
}

const PICKY =
  'exports.handler = async event => { if (JSON.stringify(event).includes("poison")) throw new Error("indigestible"); };';

/** Lets functions whose code stands in the template fail on poison. */
function makePicky(file: string): void {
  const template: Template = JSON.parse(readFileSync(file, 'utf8'));
  for (const { Properties = {} } of Object.values(template.Resources)) {
    const code = Properties['Code'];
    if (typeof code === 'object' && code !== null && 'ZipFile' in code) code.ZipFile = PICKY;
  }
  writeFileSync(file, JSON.stringify(template));
}

/** What is done with a stack, by what somebody took away of it. */
function usesBy(more: Use | undefined): Readonly<Record<Grant['effect'], readonly Use[]>> {
  return { Allow: [...(more ? [more] : []), useEverything], Deny: [comeOverPlainHttp] };
}

/** Takes away each grant of an assembly in turn, and uses what is left: the grants nobody misses. */
async function allUnmissed(assembly: string, { grain, more, notOurs }: Trial): Promise<string[]> {
  const files = templateFiles(assembly);
  files.forEach(makePicky);
  const uses = usesBy(more);
  const usual = { Allow: await outcomeOf(assembly, uses.Allow), Deny: await outcomeOf(assembly, uses.Deny) };
  const unmissed: string[] = [];
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const index of grantsOf(JSON.parse(text), grain).keys()) {
      const template: Template = JSON.parse(text);
      const { effect, logicalId, action, remove } = grantsOf(template, grain)[index] as Grant;
      if (notOurs?.test(logicalId)) continue;
      remove();
      writeFileSync(file, JSON.stringify(template));
      const outcome = await outcomeOf(assembly, uses[effect]);
      if (isSame(usual[effect], outcome)) unmissed.push(`${logicalId} ${action}`);
    }
    writeFileSync(file, text);
  }
  return unmissed;
}

/**
 * Takes away each grant of an assembly in turn, and uses what is left.
 *
 * @returns the grants nobody misses, but those that stay for a reason
 */
export async function superfluousGrants(assembly: string, trial: Trial): Promise<string[]> {
  const unmissed = await allUnmissed(assembly, trial);
  return unmissed.filter(grant => !UNNOTICED.some(known => known.grant.test(grant)));
}
