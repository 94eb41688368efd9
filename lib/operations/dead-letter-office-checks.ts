import type { IPolicyValidationContext, IPolicyValidationPlugin, PolicyValidationPluginReport } from 'aws-cdk-lib';
import { CHECKS } from '../../diagnosis/checks/check-inventory';
import type { Severity } from '../../diagnosis/checks/finding';
import { packageVersion } from '../shared/published-runbook';
import { checkedTemplates } from './templates/checked-templates';
import { unreadViolation, violationOf } from './templates/violation';

/** How bad something is that `DeadLetterOfficeChecks` found. */
export enum FindingSeverity {
  /** AWS rejects it: the deployment fails. */
  REJECTED = 'rejected',
  /** Messages are lost by it, or will be. */
  LOSES = 'loses',
  /** What is lost, or lies in a dead-letter queue, nobody is told of. */
  UNWATCHED = 'unwatched',
  /** Somebody should know. */
  NOTE = 'note',
}

/** Properties of `DeadLetterOfficeChecks`. */
export interface DeadLetterOfficeChecksProps {
  /**
   * Which findings stop synthesis. The others are reported: notes as information, the rest as warnings.
   *
   * @default [FindingSeverity.REJECTED, FindingSeverity.LOSES]
   */
  readonly failOn?: FindingSeverity[];
}

/**
 * Checks of what an app's templates do with messages that cannot be delivered, whether or not it uses our constructs:
 * subscriptions without a dead-letter queue, keys and policies that lose dead letters, alarms that will never fire, delivery
 * policies SNS rejects. The same checks as those of `dlo doctor`.
 *
 * ```ts
 * Validations.of(app).addPlugins(new DeadLetterOfficeChecks());
 * ```
 *
 * All stacks of a stage are read together, and so are stacks that nest in them. What a template does not tell, such as the
 * value of a parameter, nothing is said of; a template that cannot be read is reported as `template-not-read`.
 * What is found is acknowledged, for a construct and all below it, by its id:
 *
 * ```ts
 * Validations.of(queue).acknowledge({ id: 'dead-letter-office::queue-keeps-nothing', reason: '…' });
 * ```
 *
 * @see https://docs.aws.amazon.com/cdk/v2/guide/policy-validation-synthesis.html
 */
export class DeadLetterOfficeChecks implements IPolicyValidationPlugin {
  /** What comes before `::` in an id that is acknowledged. */
  public readonly name: string = 'dead-letter-office';

  /** The version of this package. */
  public readonly version?: string = packageVersion();

  /** The ids of all checks; docs/doctor.md has a section on each. */
  public readonly ruleIds?: string[] = CHECKS.map(({ id }) => id);

  private readonly failOn: ReadonlySet<Severity>;

  constructor(props: DeadLetterOfficeChecksProps = {}) {
    const { failOn = [FindingSeverity.REJECTED, FindingSeverity.LOSES] } = props;
    this.failOn = new Set(failOn);
  }

  /** Checks the templates of an app. CDK calls it when it synthesizes. */
  public validate(context: IPolicyValidationContext): PolicyValidationPluginReport {
    const { findings, unread } = checkedTemplates(context);
    const found = findings.map(it => violationOf(it, this.failOn.has(it.severity)));
    return {
      success: !findings.some(({ severity }) => this.failOn.has(severity)),
      violations: [...found, ...unread.map(unreadViolation)],
    };
  }
}
