import {
  type IPolicyValidationContextBeta1,
  type IPolicyValidationPluginBeta1,
  type PolicyValidationPluginReportBeta1,
  type PolicyViolation,
  Token,
} from 'aws-cdk-lib';
import { type AppCost, type ConstructCost, isWhole, stagesCost } from '../../diagnosis/cost/app-cost';
import { PRICE_REGION, PRICES_CHECKED_ON } from '../../diagnosis/cost/price-list';
import { unpricedText } from '../../diagnosis/cost/unpriced';
import { counted } from '../../policy/format-text';
import type { Problem } from '../../policy/problem';
import type { TemplateStack } from '../../template/template-stack';
import { throwProblems } from '../shared/checks';
import { ownManifest } from '../shared/own-package';
import { checkProps, NUMBER, optional, struct } from '../shared/shapes';
import { reportOf, stagesOf, type ValidationContext } from './validated-templates';

/** Properties of `CostReport`. */
export interface CostReportProps {
  /**
   * The most that all stacks of the app together may cost in a month without messages, in US dollars by list prices of
   * us-east-1. A costlier app is an error at synthesis.
   *
   * @default - any cost
   */
  readonly maxIdleDollarsPerMonth?: number;
}

const PROPS = struct<CostReportProps>({ maxIdleDollarsPerMonth: optional(NUMBER) });

/** The number of constructs that a stack's report names. */
const MOST_NAMED = 3;

/**
 * Reports at synthesis what each stack of an app costs by list prices: a month without messages, and a million messages.
 * `dlo cost` prints the same by construct, with what is assumed and what is unknown.
 *
 * ```ts
 * Validations.of(app).addPlugins(new CostReport({ maxIdleDollarsPerMonth: 20 }));
 * ```
 *
 * The prices are those of us-east-1, without free tiers, taxes and data transfer. They are part of this package, with the
 * day of their look-up. It works for every CDK app, with or without our constructs.
 *
 * @see https://docs.aws.amazon.com/cdk/v2/guide/policy-validation-synthesis.html
 */
export class CostReport implements IPolicyValidationPluginBeta1 {
  /** The prefix of the ids, before `::`. */
  public readonly name: string = 'dead-letter-office-cost';

  /** The version of this package. */
  public readonly version?: string = ownManifest().version;

  /** The ids of what it reports: the cost of a stack, and an app that costs more than it may. */
  public readonly ruleIds?: string[] = ['stack-cost', 'app-costs-too-much'];

  private readonly maxIdleDollars: number | undefined;

  /** @throws if the most it may cost is not a number of dollars */
  constructor(props: CostReportProps = {}) {
    checkProps('CostReport', props, PROPS);
    const { maxIdleDollarsPerMonth: most } = props;
    throwProblems('CostReport', dollarProblems('maxIdleDollarsPerMonth', most));
    this.maxIdleDollars = most === undefined || Token.isUnresolved(most) ? undefined : most;
  }

  /** Computes the costs from the templates of an app. CDK calls it at synthesis. */
  public validate(context: IPolicyValidationContextBeta1): PolicyValidationPluginReportBeta1 {
    const stages = stagesOf(context);
    const costs = stages.flatMap(stage => stage.map(stack => stackCost(stack, stage)));
    const app = stagesCost(stages);
    const { aMonthIdle } = app;
    const { maxIdleDollars: most = Number.POSITIVE_INFINITY } = this;
    const { appConstruct }: ValidationContext = context;
    const tooMuch = aMonthIdle > most ? [violationOfApp(app, most, appConstruct?.node.path ?? '')] : [];
    return reportOf(context, tooMuch.length === 0, [...tooMuch, ...costs]);
  }
}

function dollarProblems(property: string, value: number | undefined): Problem[] {
  if (value === undefined || Token.isUnresolved(value) || (Number.isFinite(value) && value >= 0)) return [];
  return [{ property, rule: 'must be a number of US dollars, 0 or more', value }];
}

function dollarText(dollars: number): string {
  return dollars.toFixed(2);
}

function leastText(cost: AppCost): string {
  return isWhole(cost) ? '' : 'at least ';
}

const BASIS = `by list prices of ${PRICE_REGION}, looked up on ${PRICES_CHECKED_ON}`;

const SEE = 'Run "npx dlo cost --lines" for each construct, what is assumed, and what is unknown.';

function violationOfApp(cost: AppCost, most: number, constructPath: string): PolicyViolation {
  return {
    ruleName: 'app-costs-too-much',
    description: `The app costs ${leastText(cost)}${dollarText(cost.aMonthIdle)} US dollars in a month without messages, ${BASIS}, and it may cost ${dollarText(most)}.`,
    fix: `${SEE} Or raise maxIdleDollarsPerMonth.`,
    severity: 'error',
    violatingResources: [{ constructPath, locations: [] }],
  };
}

/** The cost of one stack. The others of its stage are read too, because messages flow between them. */
function stackCost({ stackName, stackPath = '' }: TemplateStack, stage: readonly TemplateStack[]): PolicyViolation {
  const cost = stagesCost([stage], { stackName });
  return {
    ruleName: 'stack-cost',
    description: costText(stackName, cost),
    fix: SEE,
    severity: 'info',
    violatingResources: [{ constructPath: stackPath, locations: [] }],
  };
}

function costText(stackName: string, cost: AppCost): string {
  const { aMonthIdle, aMillionMessages, constructs, unknown, unpriced, ...size } = cost;
  const least = leastText(cost);
  const named = constructs
    .filter(it => it.aMonthIdle > 0)
    .sort((a, b) => b.aMonthIdle - a.aMonthIdle)
    .slice(0, MOST_NAMED);
  const largest = named.map((it: ConstructCost) => `${it.path} ${dollarText(it.aMonthIdle)}`).join(', ');
  return [
    `${stackName} costs ${least}${dollarText(aMonthIdle)} US dollars in a month without messages, ${BASIS}${largest === '' ? '' : ` (${largest})`},`,
    `and ${least}${dollarText(aMillionMessages)} for a million messages at each place where they enter.`,
    `It has ${counted(size.resources, 'resource', 'resources')}, ${size.alarms} of them alarms.`,
    ...(unpriced.length > 0 ? [`Not priced: ${unpriced.map(unpricedText).join(', ')}.`] : []),
    ...(unknown.length > 0 ? [`${counted(unknown.length, 'cost is', 'costs are')} unknown.`] : []),
  ].join(' ');
}
