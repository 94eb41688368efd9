import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Template, templateFiles } from './assembly';
import { comeOverPlainHttp, comesTo, type Outcome, outcomeOf, type Use, useEverything } from './stack-use';
import { type Grain, type Grant, grantsOf } from './statements';

/** Grants whose removal has no visible effect, and the reasons to keep them. */
const UNNOTICED: readonly { readonly grant: RegExp; readonly because: string }[] = [
  {
    grant: /DeliveryStatusRoleDefaultPolicy\w+ logs:(CreateLogGroup|PutMetricFilter|PutRetentionPolicy)$/,
    because: 'AWS documents the role of delivery-status logging with them; here SNS finds the log groups there',
  },
  {
    grant:
      /^DeadLetterOfficeTopicDeliveryPolicies\w+ logs:(AssociateKmsKey|DeleteRetentionPolicy|DisassociateKmsKey)$|^DeliveryStatusLogGroups\w+Access logs:DeleteLogGroup$/,
    because: 'changing and deleting log groups needs them, which test/deployed/status-log-groups.test.ts does',
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
    grant: /^RelayRole\w+ sqs:GetQueueUrl$/,
    because: 'the event source of aws-cdk-lib gives it to every function that consumes a queue',
  },
  {
    grant: /^RelayRole\w+ ec2:(DescribeSubnets|(Una|A)ssignPrivateIpAddresses)$/,
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
    grant: /^RentalFulfilmentSystemRole\w+ s3:GetObject$/,
    because: 'the instance downloads its process with it, and S3 is not simulated',
  },
  {
    grant: /^TaskRedriveRoleDefaultPolicy\w+ sqs:ChangeMessageVisibility$/,
    because: 'the function itself takes letters out only where SQS refuses to, and here it does not',
  },
];

/** How the grants of an assembly are tested. */
export interface Trial {
  readonly grain: Grain;
  /** How this stack is used, in addition to how every stack is used. */
  readonly more?: Use;
  /** Whether it is used only by `more`, because no grant of `ours` is needed for the rest. */
  readonly onlyMore?: true;
  /** The grants to try, each by its logical id and its action. The others belong to aws-cdk-lib, or another trial has them. */
  readonly ours?: RegExp;
}

const PICKY =
  'exports.handler = async event => { if (JSON.stringify(event).includes("poison")) throw new Error("indigestible"); };';

/** Makes functions with inline code fail on poison. */
function picky(template: Template): Template {
  for (const { Properties = {} } of Object.values(template.Resources)) {
    const code = Properties['Code'];
    if (typeof code === 'object' && code !== null && 'ZipFile' in code) code.ZipFile = PICKY;
  }
  return template;
}

/** The template of a file, which may be changed. */
const templateOf = (file: string): Template => picky(JSON.parse(readFileSync(file, 'utf8')));

/** Templates that replace files in a copy of an assembly. */
type Templates = ReadonlyMap<string, Template>;

const copies: string[] = [];

/** A copy of an assembly whose templates may be changed. The assembly itself stays unchanged, even after an error. */
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

/** How a stack is used, for each grant that is removed. */
function usesBy({ more, onlyMore }: Trial): Readonly<Record<Grant['effect'], readonly Use[]>> {
  return { Allow: [...(more ? [more] : []), ...(onlyMore ? [] : [useEverything])], Deny: [comeOverPlainHttp] };
}

/** A grant of an assembly, and whether it is needed. */
export interface TriedGrant {
  /** The logical id of its resource, and its actions. */
  readonly grant: string;
  /** Whether its removal must have an effect. */
  readonly isNeeded: boolean;
  /** Removes it from a copy of the assembly, and uses the rest. */
  readonly isMissed: () => Promise<boolean>;
}

/** A grant, and its place in the templates. */
interface PlacedGrant extends Pick<Grant, 'effect'> {
  readonly grant: string;
  readonly file: string;
  readonly index: number;
}

const isUnnoticed = ({ grant }: PlacedGrant) => UNNOTICED.some(known => known.grant.test(grant));

/**
 * Every grant of ours in an assembly. The first entries remove, of each effect, all grants whose removal has no visible effect. They
 * must have none together either: if two runs of the same assembly differed, every grant would seem needed. The result of the
 * whole assembly is computed once, at the first use.
 */
export function grantsToTry(assembly: string, trial: Trial): readonly TriedGrant[] {
  const { grain, ours } = trial;
  const files = templateFiles(assembly);
  const uses = usesBy(trial);
  const copy = new Copy(assembly);
  /** All templates, without some grants. */
  const without = (removed: readonly PlacedGrant[]): Templates => {
    const templates = files.map(file => {
      const template = templateOf(file);
      // From the last to the first: what is left of a statement has the same index.
      const indexes = removed.filter(it => it.file === file).map(({ index }) => index);
      for (const index of indexes.toReversed()) grantsOf(template, grain)[index]?.remove();
      return [file, template] as const;
    });
    return new Map(templates);
  };
  const usual: Partial<Record<Grant['effect'], Promise<Outcome>>> = {};
  const usualOf = (effect: Grant['effect']) => (usual[effect] ??= outcomeOf(copy.with(without([])), uses[effect]));
  const isMissed = async (removed: readonly PlacedGrant[], effect: Grant['effect']): Promise<boolean> => {
    const expected = await usualOf(effect);
    return !(await comesTo(expected, copy.with(without(removed)), uses[effect]));
  };
  const grants = files.flatMap(file =>
    grantsOf(templateOf(file), grain)
      .map(({ logicalId, action, effect }, index) => ({ grant: `${logicalId} ${action}`, effect, file, index }))
      .filter(({ grant }) => ours === undefined || ours.test(grant)),
  );
  const unnoticed = (['Allow', 'Deny'] as const).map(effect => {
    const removed = grants.filter(it => it.effect === effect && isUnnoticed(it));
    const grant = `${effect}: nothing${removed.map(it => `, ${it.grant}`).join('')}`;
    return { grant, isNeeded: false, isMissed: () => isMissed(removed, effect) };
  });
  const needed = grants
    .filter(it => !isUnnoticed(it))
    .map(it => ({ grant: it.grant, isNeeded: true, isMissed: () => isMissed([it], it.effect) }));
  return [...unnoticed, ...needed];
}

/** The grants of an assembly that are not needed, except those that stay for a reason. */
export async function superfluousGrants(assembly: string, trial: Trial): Promise<string[]> {
  const superfluous: string[] = [];
  for (const { grant, isNeeded, isMissed } of grantsToTry(assembly, trial)) {
    if (isNeeded && !(await isMissed())) superfluous.push(grant);
  }
  return superfluous;
}

afterAll(() => {
  for (const folder of copies.splice(0)) rmSync(folder, { recursive: true });
});
