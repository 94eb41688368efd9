import { CfnDashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, OpsDashboard, OpsTopic, RentalBilling, RentalOrders } from '../../../lib';
import { RUNBOOK_CONTEXT } from '../../../lib/private/runbook-url';
import { arn, OURS, plainSubscription, type Refused } from './refused';

const SHARE = 'so share what it shows among two dashboards';

export const REFUSED_OTHERS: readonly Refused[] = [
  {
    what: 'OpsTopic with no mailbox',
    act: stack => new OpsTopic(stack, 'It', { email: 'ops' }),
    line: 'email must be one e-mail address, got "ops"',
    aws: plainSubscription({ protocol: 'email', endpoint: 'ops' }),
  },
  {
    what: 'OpsDashboard with a space in its name',
    act: stack => new OpsDashboard(stack, 'It', { dashboardName: 'Rental Orders' }),
    line: 'dashboardName must be 1 to 255 letters, digits, hyphens and underscores, got "Rental Orders"',
    aws: stack =>
      new CfnDashboard(stack, 'Dashboard', { dashboardName: 'Rental Orders', dashboardBody: '{"widgets":[]}' }),
  },
  {
    what: 'OpsDashboard that shows too much',
    act: stack => {
      const queues = Array.from({ length: 497 }, (_, i) => Queue.fromQueueArn(stack, `Q${i}`, arn('sqs', `Q${i}`)));
      return new OpsDashboard(stack, 'It', { deadLetterQueues: queues });
    },
    line: `widgets must be at most 500, ${SHARE}, got 998`,
    aws: OURS,
  },
  {
    what: 'RentalOrders with a space in its names',
    act: stack => new RentalOrders(stack, 'It', { namePrefix: 'a b' }),
    line: 'namePrefix must be 1 to 50 letters, digits, hyphens and underscores, got "a b"',
    aws: OURS,
  },
  {
    what: 'RentalOrders with no URL to bill at',
    act: stack => new RentalOrders(stack, 'It', { billingEndpoint: 'billing' }),
    line: 'billingEndpoint must be an absolute http or https URL, got "7 characters that are no URL"',
    aws: OURS,
  },
  {
    what: 'RentalBilling with no URL to bill at',
    act: stack => new RentalBilling(stack, 'It', { billingEndpoint: 'ftp://billing.example.com' }),
    line: 'billingEndpoint must be an absolute http or https URL, got "ftp://billing.example.com"',
    aws: OURS,
  },
  {
    what: 'The context with no URL of a runbook',
    act: stack => {
      stack.node.setContext(RUNBOOK_CONTEXT, 7);
      return new DeadLetterQueue(stack, 'It');
    },
    line: `${RUNBOOK_CONTEXT} must be an absolute http or https URL, got 7`,
    aws: OURS,
  },
];
