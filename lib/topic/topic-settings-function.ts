import { createHash } from 'node:crypto';
import { ArnFormat, CfnResource, Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct, type IConstruct } from 'constructs';
import { statusLogGroups } from '../../policy/messages/delivery-status';
import { acknowledgePatterns } from '../shared/access/grants';
import { checkRolePolicies } from '../shared/access/policy-limits';
import { addOwnFunction } from '../shared/own-function';

/** The name is from when the function set only delivery policies. It must not change: logical ids are made from it. */
const ID = 'DeadLetterOffice-TopicDeliveryPolicies';

/**
 * How long CloudFormation waits for the function. If two runs time out (three minutes each) and Lambda waits one and two
 * minutes before its retries, the third run still has one minute.
 */
export const SERVICE_TIMEOUT = Duration.minutes(10);

/** @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatchlogs.html */
const ENSURE_ACTIONS = [
  'logs:AssociateKmsKey',
  'logs:CreateLogGroup',
  'logs:DeleteRetentionPolicy',
  'logs:DisassociateKmsKey',
  'logs:PutRetentionPolicy',
];

/** The function that sets what CloudFormation cannot set of a stack's topics. A stack has one. */
export class TopicSettingsFunction extends Construct {
  /** Returns the function of a stack, and creates it if necessary. */
  static of(scope: IConstruct): TopicSettingsFunction {
    const stack = Stack.of(scope);
    const existing = stack.node.tryFindChild(ID);
    return existing instanceof TopicSettingsFunction ? existing : new TopicSettingsFunction(stack);
  }

  /** The service token of its custom resources. */
  readonly serviceToken: string;
  /** The role of the function. It may write its log. Custom resources add policies of their own. */
  readonly role: Role;

  private mayEnsureLogGroups = false;

  private constructor(stack: Stack) {
    super(stack, ID);
    const { handler, role } = addOwnFunction(this, {
      bundle: 'topic-settings',
      description: 'Sets the delivery policies and the log groups of SNS topics for CloudFormation.',
      roleDescription: 'Lets a function set the delivery policies and the log groups of topics, and write its log.',
      timeout: Duration.minutes(3),
      removalPolicy: RemovalPolicy.DESTROY,
      // The function must not change a topic after CloudFormation has given up on the request.
      maxEventAge: SERVICE_TIMEOUT,
    });
    this.role = role;
    this.serviceToken = handler.functionArn;
    checkRolePolicies(role, 'Create some of the topics in another stack, or let their log groups be retained.');
  }

  /**
   * Lets the function create log groups of SNS, and set their retention and key. It is one statement for all topics of
   * the stack, because IAM limits the size of all policies of a role.
   */
  allowLogGroups(): void {
    if (this.mayEnsureLogGroups) return;
    this.mayEnsureLogGroups = true;
    const { region, account } = Stack.of(this);
    const { success: resourceName } = statusLogGroups({ region, account, name: '*' });
    const groups = { service: 'logs', resource: 'log-group', resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME };
    const resource = Stack.of(this).formatArn(groups);
    acknowledgePatterns(this, [resource], 'SNS makes the names of these log groups from those of topics.');
    this.role.addToPolicy(new PolicyStatement({ actions: ENSURE_ACTIONS, resources: [resource] }));
  }
}

/** What identifies a topic, wherever in the app its settings are created. */
export function identityOf({ topicArn, node }: ITopic): string {
  return Token.isUnresolved(topicArn) ? node.path : topicArn;
}

/** The same within a stack, which may be moved to another stage without being replaced. */
function identityWithin(stack: Stack, topic: ITopic): string {
  const identity = identityOf(topic);
  const above = `${stack.node.path}/`;
  return identity.startsWith(above) ? identity.slice(above.length) : identity;
}

/**
 * Gives a resource a logical id that follows from its topic. With another one, renaming the construct would make
 * CloudFormation create a new resource and then delete the old one, and with it what the new one has just set.
 */
export function nameByTopic(construct: Construct, topic: ITopic, prefix: string, suffix = ''): void {
  const { defaultChild } = construct.node;
  if (!(defaultChild instanceof CfnResource)) throw new Error(`${construct.node.path} has no resource`);
  const identity = identityWithin(Stack.of(construct), topic);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  defaultChild.overrideLogicalId(`${prefix}${hash}${suffix}`);
}
