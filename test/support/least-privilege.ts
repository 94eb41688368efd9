import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Template, templateFiles } from './assembly';
import { comeOverPlainHttp, comesTo, type Outcome, outcomeOf, type Use, useEverything } from './everyday-use';
import { type Grain, type Grant, grantsOf } from './statements';

/** What may be taken away without anybody noticing, and why it stays nevertheless. */
const UNNOTICED: readonly { readonly grant: RegExp; readonly because: string }[] = [
  {
    grant: /DeliveryStatusRoleDefaultPolicy\w+ logs:(CreateLogGroup|PutMetricFilter|PutRetentionPolicy)$/,
    because: 'AWS documents the role of delivery-status logging with them; here SNS finds the log groups there',
  },
  {
    grant: /^\w+ firehose:(DescribeDeliveryStream|ListDeliveryStreams|ListTagsForDeliveryStream|PutRecordBatch)$/,
    because: 'AWS documents the role of a Firehose subscription with them; here SNS puts one record at a time',
  },
  {
    grant: /^LogKey\w+ kms:(Encrypt|ReEncrypt|Describe)\*$/,
    because: 'AWS documents the policy of a key that encrypts log groups with them; here CloudWatch Logs asks for two',
  },
  {
    grant: /^HandlerServiceRoleDefaultPolicy\w+ (sqs:GetQueue(Attributes|Url)|kms:(Encrypt|ReEncrypt\*))$/,
    because: 'the destination of aws-cdk-lib gives them to every function that sends its records to a queue',
  },
  {
    grant: /^(Where|Headers|Signing)Key\w+ kms:(?!\*)/,
    because: 'the secret of aws-cdk-lib gives them to its account, whose own policies would do',
  },
  {
    grant: /^RelayRoleDefaultPolicy\w+ sqs:GetQueueUrl$/,
    because: 'the event source of aws-cdk-lib gives it to every function that consumes a queue',
  },
  {
    grant: /^RelayRoleDefaultPolicy\w+ ec2:(DescribeSubnets|(Una|A)ssignPrivateIpAddresses)$/,
    because:
      'AWS documents the role of a function in a VPC with them; here Lambda asks for three, and there are no subnets',
  },
  {
    grant: /^RelayNoInterfacesForCode\w+ ec2:/,
    because: 'it denies the code of a function what only Lambda needs, and ours never asks for it',
  },
  {
    grant: /ServiceRoleDefaultPolicy\w+ sqs:(ChangeMessageVisibility|GetQueueUrl)$/,
    because: 'the event source of aws-cdk-lib gives them to every function that consumes a queue',
  },
  {
    grant: /^TaskRedriveRoleDefaultPolicy\w+ sqs:ChangeMessageVisibility$/,
    because: 'the function itself takes letters out only where SQS refuses to, and here it does not',
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
function picky(template: Template): Template {
  for (const { Properties = {} } of Object.values(template.Resources)) {
    const code = Properties['Code'];
    if (typeof code === 'object' && code !== null && 'ZipFile' in code) code.ZipFile = PICKY;
  }
  return template;
}

/** The template of a file, to be changed at will. */
const templateOf = (file: string): Template => picky(JSON.parse(readFileSync(file, 'utf8')));

/** What a copy of an assembly has in the place of files. */
type Templates = ReadonlyMap<string, Template>;

const copies: string[] = [];

/** A copy of an assembly, in which templates may be changed: nothing that is cut off leaves the assembly changed. */
class Copy {
  private folder: string | undefined;

  constructor(private readonly assembly: string) {}

  /** @returns its folder, with these templates in it */
  with(templates: Templates): string {
    this.folder ??= this.make();
    for (const [file, template] of templates) {
      const changed = path.join(this.folder, path.basename(file));
      rmSync(changed);
      writeFileSync(changed, JSON.stringify(template));
    }
    return this.folder;
  }

  private make(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'dlo-copy-'));
    for (const name of readdirSync(this.assembly)) symlinkSync(path.join(this.assembly, name), path.join(folder, name));
    copies.push(folder);
    return folder;
  }
}

/** What is done with a stack, by what somebody took away of it. */
function usesBy(more: Use | undefined): Readonly<Record<Grant['effect'], readonly Use[]>> {
  return { Allow: [...(more ? [more] : []), useEverything], Deny: [comeOverPlainHttp] };
}

/** A grant of an assembly, and whether it is needed. */
export interface TriedGrant {
  /** The logical id of what has it, and its actions. */
  readonly grant: string;
  /** Why it stays though nobody misses it. */
  readonly because: string | undefined;
  /** Takes it away in a copy of the assembly, and uses what is left. */
  readonly isMissed: () => Promise<boolean>;
}

/**
 * Every grant of an assembly that is ours, and first that nothing is taken away, which nobody may miss: a run that never
 * came to the same would find everything missed. What comes of the whole assembly is found out once, when it is first asked for.
 */
export function grantsToTry(assembly: string, { grain, more, notOurs }: Trial): readonly TriedGrant[] {
  const files = templateFiles(assembly);
  const uses = usesBy(more);
  const copy = new Copy(assembly);
  const whole = () => new Map(files.map(file => [file, templateOf(file)]));
  const usual: Partial<Record<Grant['effect'], Promise<Outcome>>> = {};
  const usualOf = (effect: Grant['effect']) => (usual[effect] ??= outcomeOf(copy.with(whole()), uses[effect]));
  const differs = async (less: Templates, effect: Grant['effect']): Promise<boolean> => {
    const expected = await usualOf(effect);
    return !(await comesTo(expected, copy.with(less), uses[effect]));
  };
  const isMissed = (file: string, index: number, effect: Grant['effect']): Promise<boolean> => {
    const template = templateOf(file);
    grantsOf(template, grain)[index]?.remove();
    return differs(whole().set(file, template), effect);
  };
  const grants = files.flatMap(file =>
    grantsOf(templateOf(file), grain).flatMap(({ logicalId, action, effect }, index) => {
      if (notOurs?.test(logicalId)) return [];
      const grant = `${logicalId} ${action}`;
      const because = UNNOTICED.find(known => known.grant.test(grant))?.because;
      return [{ grant, because, isMissed: () => isMissed(file, index, effect) }];
    }),
  );
  const nothing = { grant: 'nothing', because: 'it is all there', isMissed: () => differs(whole(), 'Allow') };
  return [nothing, ...grants];
}

/** The grants of an assembly nobody misses, but those that stay for a reason. */
export async function superfluousGrants(assembly: string, trial: Trial): Promise<string[]> {
  const superfluous: string[] = [];
  for (const { grant, because, isMissed } of grantsToTry(assembly, trial)) {
    if (because === undefined && !(await isMissed())) superfluous.push(grant);
  }
  return superfluous;
}

afterAll(() => {
  for (const folder of copies.splice(0)) rmSync(folder, { recursive: true });
});
