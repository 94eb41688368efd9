import type { StandIn } from '../cloudformation';
import type { JsonObject } from '../kernel/json';
import type { PlaceServices } from '../place-services';
import type { Simulation } from '../simulation';

/** What a simulation cannot tell about messages, because of a stand-in on their path. */
export interface Unknown extends Pick<StandIn, 'stack' | 'logicalId' | 'type' | 'path'> {
  /** What is unknown, and where there is one, how a test finds out. */
  readonly unknown: string;
}

/** A resource of which something is a stand-in. */
interface Subject {
  readonly services: PlaceServices;
  readonly physicalId: string;
  readonly properties: JsonObject;
  readonly attributes: Readonly<Record<string, string>>;
}

interface Rule {
  /** Of the type, and for a part of a resource also of the property: `AWS::Lambda::Function.Runtime`. */
  readonly of: RegExp;
  readonly unknown: string;
  /** @default - every resource is on the path of messages */
  readonly isOnPath?: (subject: Subject) => boolean;
}

const NOTIFICATIONS = 'Custom::S3BucketNotifications';

function notifies({ services, physicalId, properties }: Subject): boolean {
  const others = services.cloudFormation.resourcesOfType(NOTIFICATIONS);
  return (
    properties['NotificationConfiguration'] !== undefined ||
    others.some(it => it.properties['BucketName'] === physicalId)
  );
}

/** Whether a function has no code that runs here, and is no provider of custom resources, which have answers of their own. */
function isSilent({ services, physicalId, attributes }: Subject): boolean {
  if (services.lambda.runs(physicalId)) return false;
  const customs = services.cloudFormation.resourcesOfType(/^Custom::|::CustomResource$/);
  return !customs.some(({ properties }) => properties['ServiceToken'] === attributes['Arn']);
}

/** Whole resources. */
const RESOURCES: readonly Rule[] = [
  {
    of: /^AWS::S3::Bucket$/,
    unknown: 'which notifications it sends: only those of aws.emit.s3 arrive',
    isOnPath: notifies,
  },
  {
    of: /^AWS::DynamoDB::GlobalTable$/,
    unknown: 'which changes its stream has: only those of aws.emit.dynamoDb arrive',
    isOnPath: ({ properties }) => properties['StreamSpecification'] !== undefined,
  },
  { of: /^AWS::Kinesis::Stream$/, unknown: 'which records it has: only those of aws.emit.kinesis arrive' },
  { of: /^AWS::Lambda::EventSourceMapping$/, unknown: 'whether its function processes the records of the source' },
  {
    of: /^AWS::(?:Lambda::Url|ApiGatewayV2::Api|ElasticLoadBalancingV2::LoadBalancer|CloudFront::Distribution|AppSync::GraphQLApi)$/,
    unknown: 'whether requests reach what is behind it, such as a function: it answers none',
  },
  {
    of: /^AWS::StepFunctions::StateMachine$/,
    unknown: 'whether its executions succeed, and which messages they send: it does not run',
  },
  {
    of: /^AWS::(?:Pipes::Pipe|IoT::TopicRule|KinesisFirehose::DeliveryStream)$/,
    unknown: 'whether messages reach its target: it delivers none',
  },
  {
    of: /^AWS::(?:ECS::Service|EC2::Instance|AutoScaling::AutoScalingGroup|EKS::Nodegroup|Batch::JobDefinition|AppRunner::Service)$/,
    unknown: 'whether its programs consume and send messages: they do not run',
  },
  { of: /^AWS::CloudWatch::Alarm$/, unknown: 'when it goes into ALARM, and so whether it reports a loss' },
  {
    of: /^AWS::(?:ApiGateway::(?:Authorizer|UsagePlan)|WAFv2::WebACLAssociation)$/,
    unknown: 'which requests it refuses: every request passes',
  },
];

/** Parts of simulated resources. */
const PARTS: readonly Rule[] = [
  {
    of: /^AWS::Lambda::Function\.(?:Runtime|PackageType|Code)/,
    unknown: 'whether its code succeeds: it never runs. aws.function(…).handle(…) runs in its place',
    isOnPath: isSilent,
  },
  { of: /^AWS::Lambda::Function\.VpcConfig/, unknown: 'whether it reaches what it calls: its network blocks nothing' },
  {
    of: /^AWS::Events::Rule\.Targets/,
    unknown: 'whether this target gets the events and processes them: it is left out',
  },
  { of: /^AWS::CloudWatch::Alarm\.\w+Actions/, unknown: 'whether this action works: it is left out' },
  {
    // Managed policies of roles are unknown only where a decision depended on them.
    of: /^AWS::\w+::\w+\.(?:(?!ManagedPolicyArns)\w*Polic(?:y|ies)\w*|Statement)/,
    unknown: 'whether AWS allows what depends on its conditions',
  },
  {
    of: /^AWS::Lambda::EventSourceMapping\.DestinationConfig/,
    unknown: 'whether messages about discarded records arrive there',
  },
  {
    of: /^AWS::ApiGateway::Method\.(?:AuthorizationType|ApiKeyRequired)/,
    unknown: 'which requests AWS refuses: every request passes',
  },
  { of: /^AWS::ApiGateway::Method\./, unknown: 'whether the integration accepts the requests' },
];

/**
 * Lists what the simulation cannot tell, because of stand-ins on the path of messages. The others, such as a hosted zone or a
 * bucket without notifications, move no messages.
 */
export function unknownsOf({ standIns, all }: Simulation): readonly Unknown[] {
  return standIns.flatMap((standIn): Unknown[] => {
    const { stack, logicalId, type, path, what, member, decision } = standIn;
    if (decision)
      return [{ stack, logicalId, type, unknown: `whether AWS allows ${decision.action} on ${decision.resource}` }];
    const subject = subjectOf(all, standIn);
    if (!subject || (what !== 'resource' && what !== 'property')) return [];
    const name = what === 'resource' ? type : `${type}.${member}`;
    const rule = (what === 'resource' ? RESOURCES : PARTS).find(({ of }) => of.test(name));
    if (!rule || rule.isOnPath?.(subject) === false) return [];
    return [{ stack, logicalId, type, ...(path === undefined ? {} : { path }), unknown: rule.unknown }];
  });
}

/** The resource that a stand-in is, or is a part of. */
export function subjectOf(all: Simulation['all'], { stack, logicalId, type }: StandIn): Subject | undefined {
  for (const services of all) {
    const found = services.cloudFormation
      .resourcesOfType(type)
      .find(it => it.stackName === stack && it.logicalId === logicalId);
    if (found) return { services, ...found };
  }
  return undefined;
}
