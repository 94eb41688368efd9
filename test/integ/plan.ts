import { STACK_NAME } from './stack';

/** Whose account a run is about to use. */
export interface Account {
  readonly profile: string;
  readonly id: string;
  /** Who asks, as an ARN. */
  readonly caller: string;
  readonly region: string;
}

/** A template, as far as its price goes. */
export interface PricedTemplate {
  readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
}

/** List prices of us-east-1 a month, in US dollars, as in docs/deploy.md; what is not here costs nothing while it is idle. */
const A_MONTH: Readonly<Partial<Record<string, number>>> = { 'AWS::CloudWatch::Alarm': 0.1, 'AWS::KMS::Key': 1 };

const HOURS_A_MONTH = 730;

function count(template: PricedTemplate, type: string): number {
  return Object.values(template.Resources).filter(({ Type }) => Type === type).length;
}

/** What the stack costs for each hour that it is there, in US dollars. */
export function dollarsAnHour(template: PricedTemplate): number {
  const monthly = Object.values(template.Resources).map(({ Type }) => A_MONTH[Type] ?? 0);
  return monthly.reduce((sum, price) => sum + price, 0) / HOURS_A_MONTH;
}

/** What a run is going to do to an account, and what that costs. */
export function planText(account: Account, template: PricedTemplate): string {
  const [queues, alarms, functions] = ['AWS::SQS::Queue', 'AWS::CloudWatch::Alarm', 'AWS::Lambda::Function'].map(type =>
    count(template, type),
  );
  return `Account ${account.id}, Region ${account.region}, as ${account.caller} (profile ${account.profile}).

1. Deploys the stack ${STACK_NAME}: two topics, ${queues} queues, ${alarms} alarms, ${functions} functions and a key.
   The account must be bootstrapped for the CDK.
2. Breaks it on purpose, and looks whether every message is kept and every alarm goes off.
3. Runs test/conformance, which makes and deletes queues, topics, functions, roles and alarms named dlo-conformance-….
4. Destroys the stack, whatever happened. The key is then scheduled for deletion in 7 days, at no charge.

It takes about an hour. For each hour the stack costs ${dollarsAnHour(template).toFixed(3)} US dollars, as alarms and keys are priced by the hour
(list prices of us-east-1), and the requests, some tens of thousands at about half a dollar a million, some cents more.
`;
}
