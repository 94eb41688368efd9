import type {
  IPolicyValidationContextBeta1,
  IPolicyValidationPluginBeta1,
  PolicyValidationPluginReportBeta1,
  PolicyViolation,
} from 'aws-cdk-lib';
import { acknowledgedIn, isAcknowledged } from '../../diagnosis/checks/acknowledged';
import { CHECKS } from '../../diagnosis/checks/check-inventory';
import { checkedStages } from '../../diagnosis/checks/check-stages';
import type { Finding, Severity } from '../../diagnosis/checks/finding';
import { type FindingGroup, groupFindings } from '../../diagnosis/checks/finding-groups';
import type { Inventory } from '../../diagnosis/inventory/inventory';
import { publishedCheck } from '../../diagnosis/published-guides';
import { ownManifest } from '../shared/own-package';
import { checkProps, enumValue, listOf, optional, struct } from '../shared/shapes';
import { reportOf, stagesOf, type ValidationContext } from './validated-templates';

/** The severity of a finding of `DeadLetterOfficeChecks`. */
export enum FindingSeverity {
  /** AWS rejects it: the deployment fails. */
  REJECTED = 'rejected',
  /** Messages are lost now, although nothing has failed. */
  LOSES = 'loses',
  /** Messages are lost as soon as something fails. */
  AT_RISK = 'at-risk',
  /** Messages are lost during a deployment. */
  ON_CHANGE = 'on-change',
  /** Messages are late, or a loss goes unnoticed. */
  UNWATCHED = 'unwatched',
  /** Worth knowing. No message is lost. */
  NOTE = 'note',
}

/** Properties of `DeadLetterOfficeChecks`. */
export interface DeadLetterOfficeChecksProps {
  /**
   * The severities that stop synthesis. Other findings are reported: notes as information, the rest as warnings.
   *
   * @default [FindingSeverity.REJECTED, FindingSeverity.LOSES, FindingSeverity.AT_RISK]
   */
  readonly failOn?: FindingSeverity[];
}

const PROPS = struct<DeadLetterOfficeChecksProps>({
  failOn: optional(listOf(enumValue('FindingSeverity', FindingSeverity))),
});

/**
 * Checks what an app's templates do with messages that cannot be delivered, whether or not the app uses our constructs.
 * It finds subscriptions without a dead-letter queue, keys and policies that lose dead letters, alarms that never fire,
 * and delivery policies that SNS rejects. `dlo doctor` runs the same checks.
 *
 * ```ts
 * Validations.of(app).addPlugins(new DeadLetterOfficeChecks());
 * ```
 *
 * An aws-cdk-lib without `Validations`, before 2.251, takes it as
 * `new App({ policyValidationBeta1: [new DeadLetterOfficeChecks()] })`. It cannot acknowledge findings: use `failOn`.
 *
 * All stacks of a stage are read together, including nested stacks. Values that a template does not contain, such as
 * parameters, are not judged. A template that cannot be read is reported as `template-not-read`. Acknowledge a finding
 * by its id, for a construct and everything in it:
 *
 * ```ts
 * Validations.of(queue).acknowledge({ id: 'dead-letter-office::queue-keeps-nothing', reason: '…' });
 * ```
 *
 * @see https://docs.aws.amazon.com/cdk/v2/guide/policy-validation-synthesis.html
 */
export class DeadLetterOfficeChecks implements IPolicyValidationPluginBeta1 {
  /** The prefix of the ids, before `::`. */
  public readonly name: string = 'dead-letter-office';

  /** The version of this package. */
  public readonly version?: string = ownManifest().version;

  /** The ids of all checks; docs/doctor.md has a section on each. */
  public readonly ruleIds?: string[] = CHECKS.map(({ id }) => id);

  private readonly failOn: ReadonlySet<Severity>;

  constructor(props: DeadLetterOfficeChecksProps = {}) {
    checkProps('DeadLetterOfficeChecks', props, PROPS);
    const { failOn = [FindingSeverity.REJECTED, FindingSeverity.LOSES, FindingSeverity.AT_RISK] } = props;
    this.failOn = new Set(failOn);
  }

  /** Checks the templates of an app. CDK calls it at synthesis. */
  public validate(context: IPolicyValidationContextBeta1): PolicyValidationPluginReportBeta1 {
    const { findings, inventories, unread } = checkedTemplates(context);
    const constructs = (context as ValidationContext).appConstruct?.node.findAll() ?? [];
    const acknowledged = acknowledgedIn(Object.fromEntries(constructs.map(({ node }) => [node.path, node.metadata])));
    // CDK takes acknowledged resources out of a violation, and leaves their names in its sentences.
    const single = findings.filter(it => isAcknowledged(it, acknowledged));
    const several = groupFindings(
      findings.filter(it => !single.includes(it)),
      inventories,
    );
    const groups = [...several, ...single.flatMap(it => groupFindings([it], []))];
    const found = groups.map(it => violationOf(it, this.failOn.has(it.severity)));
    const success = !findings.some(({ severity }) => this.failOn.has(severity));
    return reportOf(context, success, [...found, ...unread.map(unreadViolation)]);
  }
}

/** The severity in CDK's report: an error stops synthesis, a warning or information does not. */
function reportedSeverity({ severity }: FindingGroup, stops: boolean): string {
  if (stops) return 'error';
  return severity === 'note' ? 'info' : 'warning';
}

/** What is wrong, and the names that `…` stands for. CDK lists the resources below it. */
function description({ says, findings }: FindingGroup): string {
  if (findings.length === 1) return says;
  const names = findings.map(({ finding, others }) => [finding.resource.name, ...others].join(' with '));
  return `${says} This is so for ${findings.length} resources: ${names.join('; ')}.`;
}

function fixText({ id, fix, statement }: FindingGroup): string {
  const missing = statement === undefined ? '' : ` The statement: ${JSON.stringify(statement)}`;
  return `${fix}${missing} (${publishedCheck(ownManifest(), id)})`;
}

function violatingResource({ resource: { place }, location }: Finding): PolicyViolation['violatingResources'] {
  if (place === undefined) return [];
  const locations = location === undefined ? [] : [location.replaceAll('/', '.')];
  return [{ resourceLogicalId: place.logicalId, templatePath: place.templatePath, locations }];
}

/**
 * Findings that say the same, in the form of CDK's report.
 * @param stops whether they stop synthesis
 */
function violationOf(group: FindingGroup, stops: boolean): PolicyViolation {
  return {
    ruleName: group.id,
    description: description(group),
    fix: fixText(group),
    severity: reportedSeverity(group, stops),
    ruleMetadata: { severity: group.severity },
    violatingResources: group.findings.flatMap(({ finding }) => violatingResource(finding)),
  };
}

/** A template that could not be read and was not checked. */
function unreadViolation({ says, stackPath }: Unread): PolicyViolation {
  const violatingResources = [{ constructPath: stackPath, locations: [] }];
  return { ruleName: 'template-not-read', description: says, severity: 'info', violatingResources };
}

interface CheckedTemplates {
  readonly inventories: readonly Inventory[];
  readonly findings: readonly Finding[];
  readonly unread: readonly Unread[];
}

/** A template or stack that could not be read. */
interface Unread {
  readonly says: string;
  /** The path of the stack that contains it. */
  readonly stackPath: string;
}

/** Checks the templates that CDK passes to a plugin, one stage at a time. */
function checkedTemplates(context: ValidationContext): CheckedTemplates {
  const stages = stagesOf(context);
  const checked = checkedStages(stages);
  const unread = checked.flatMap(({ inventory }, index) => {
    const stackPath = stages[index]?.[0]?.stackPath ?? '';
    return (inventory.unread ?? []).map(says => ({ says, stackPath }));
  });
  const inventories = checked.map(({ inventory }) => inventory);
  return { findings: checked.flatMap(({ findings }) => findings), inventories, unread };
}
