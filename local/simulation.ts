import { nameInArn } from '../policy/arn';
import { ApiGateway, apiGatewayResourceTypes } from './apigateway';
import { type AnyResourceType, CloudFormation, type References } from './cloudformation';
import { CloudWatch, cloudWatchResourceTypes } from './cloudwatch';
import { ec2ResourceTypes } from './ec2';
import { EventBridge, eventsResourceTypes } from './events';
import { firehoseResourceTypes } from './firehose';
import { Iam, IamApi, iamResourceTypes } from './iam';
import { AwsError } from './kernel/aws-error';
import { AWS_SERVICES, type AwsService } from './kernel/aws-service';
import { Faults } from './kernel/faults';
import type { Place } from './kernel/place';
import type { Random } from './kernel/random';
import { Timeline, type TimelineOptions } from './kernel/timeline';
import { Trace, type TraceOptions } from './kernel/trace';
import { Kms, kmsResourceTypes } from './kms';
import { Lambda, type LambdaOptions, lambdaResourceTypes } from './lambda';
import { type Functions, Logs, logsResourceTypes } from './logs';
import { InMemoryNetwork } from './network/network';
import { OutsideWorld } from './network/outside-world';
import { EventBridgeScheduler, schedulerResourceTypes } from './scheduler';
import { SecretsManager, secretsManagerResourceTypes } from './secrets-manager';
import { Sns, type SnsOptions, snsResourceTypes, withSigningCertificate } from './sns';
import { Sqs, sqsResourceTypes } from './sqs';
import { Ssm, ssmResourceTypes } from './ssm';
import { Sts } from './sts';
import type { AwsTraceEvent } from './trace-events';
import {
  awsHost,
  type DocumentService,
  documentService,
  Forwarder,
  faultyActions,
  MODELS,
  OtherServices,
  SNS_MODEL,
  unsimulatedServices,
  type WireService,
} from './wire';

interface SimulationOptions {
  readonly place: Place;
  readonly random: Random;
  /** Milliseconds since the Unix epoch. */
  readonly startAtMs: number;
  readonly timeline?: TimelineOptions;
  readonly trace?: TraceOptions;
  readonly sns?: SnsOptions;
  readonly lambda?: LambdaOptions;
}

/** The services of one account in one Region, and the only place that connects them to each other. */
export class Simulation {
  readonly place: Place;
  readonly timeline: Timeline;
  readonly trace: Trace<AwsTraceEvent>;
  readonly faults: Faults;
  readonly outside: OutsideWorld;
  readonly network: InMemoryNetwork;
  /** The services that are not simulated, but answered by a scenario or forwarded. */
  readonly otherServices: OtherServices;
  readonly iam: Iam;
  readonly kms: Kms;
  readonly cloudWatch: CloudWatch;
  readonly logs: Logs;
  readonly sqs: Sqs;
  readonly sns: Sns;
  readonly lambda: Lambda;
  readonly apiGateway: ApiGateway;
  readonly events: EventBridge;
  readonly scheduler: EventBridgeScheduler;
  readonly sts: Sts;
  readonly ssm: Ssm;
  readonly secretsManager: SecretsManager;
  readonly cloudFormation: CloudFormation;
  private readonly ec2Random: Random;
  /** By the service names that universal targets of schedules use. */
  private readonly documentServices = new Map<string, DocumentService>();

  constructor({ place, random, startAtMs, timeline: time, trace: kept, sns, lambda }: SimulationOptions) {
    this.place = place;
    this.timeline = new Timeline(startAtMs, time);
    this.trace = new Trace(this.timeline, kept);
    this.faults = new Faults(this.timeline, faultyActions);
    this.outside = new OutsideWorld(this.timeline, host => this.network.has(host));
    const { timeline, trace, faults, outside } = this;
    this.iam = new Iam({ place, timeline, trace, random: random.stream('iam') });
    const forwarder = new Forwarder(timeline);
    const ids = random.stream('other-services');
    const { credentials } = this.iam;
    this.otherServices = new OtherServices({ credentials, timeline, trace, forwarder, random: ids });
    const services = this.otherServices;
    const others = unsimulatedServices({ place, outside, services, trace, random: random.stream('elsewhere') });
    this.network = new InMemoryNetwork(others, outside);
    const { network } = this;

    const access = this.iam;
    this.kms = new Kms({ place, timeline, trace, faults, access, random: random.stream('kms') });
    const shared = { place, timeline, trace, faults, access, keys: this.kms };
    this.cloudWatch = new CloudWatch(
      { ...shared, random: random.stream('cloudwatch') },
      { sns: () => this.sns, lambda: () => this.lambda, events: () => this.events },
    );
    const context = (service: string) => ({ ...shared, metrics: this.cloudWatch, random: random.stream(service) });
    const invoke: Functions['invoke'] = (FunctionName, caller, InvocationType, Payload) => {
      this.lambda.call('Invoke', caller, { FunctionName, InvocationType, Payload });
    };
    this.logs = new Logs(context('logs'), { cloudWatch: this.cloudWatch, lambda: () => ({ invoke }) });
    this.sqs = new Sqs(context('sqs'));
    const { sqs: queues, logs, iam: roles } = this;
    this.lambda = new Lambda(
      context('lambda'),
      { sqs: queues, sns: () => this.sns, events: () => this.events, network, logs, credentials, roles },
      lambda,
    );
    this.sns = new Sns(context('sns'), { sqs: queues, lambda: this.lambda, network, logs, roles }, sns);
    const targets = { sqs: queues, sns: this.sns, lambda: this.lambda, roles };
    this.events = new EventBridge(context('events'), { ...targets, logs });
    this.apiGateway = new ApiGateway(context('apigateway'), { network, logs, roles, credentials });
    this.sts = new Sts(context('sts'), this.iam);
    this.ssm = new Ssm(context('ssm'));
    this.secretsManager = new SecretsManager(context('secretsmanager'));
    this.cloudFormation = new CloudFormation(context('cloudformation'), {
      functions: () => this.lambda,
      topics: () => this.sns,
      functionLog: arn => logs.events(`/aws/lambda/${nameInArn(arn)}`).map(({ message }) => message),
      network,
      references: referencesTo(this.ssm, this.secretsManager),
    });
    this.scheduler = new EventBridgeScheduler(context('scheduler'), {
      ...targets,
      events: this.events,
      services: this.documentServices,
    });
    this.ec2Random = random.stream('ec2');
    this.attachEndpoints(random.stream('wire'));
  }

  /** Every CloudFormation resource type the embedded AWS implements. */
  resourceTypes(): readonly AnyResourceType[] {
    return [
      ...apiGatewayResourceTypes(this.apiGateway),
      ...cloudWatchResourceTypes(this.cloudWatch, this.place),
      ...ec2ResourceTypes(this.ec2Random),
      ...eventsResourceTypes(this.events),
      ...firehoseResourceTypes(this.place),
      ...iamResourceTypes(this.iam),
      ...kmsResourceTypes(this.kms),
      ...lambdaResourceTypes(this.lambda),
      ...logsResourceTypes(this.logs, this.place),
      ...schedulerResourceTypes(this.scheduler),
      ...secretsManagerResourceTypes(this.secretsManager),
      ...snsResourceTypes(this.sns),
      ...sqsResourceTypes(this.sqs),
      ...ssmResourceTypes(this.ssm),
    ];
  }

  /** The implementation of each service's API. */
  private apis(): Readonly<Record<AwsService, WireService>> {
    const { place, iam, faults, trace } = this;
    return {
      cloudformation: this.cloudFormation,
      events: this.events,
      iam: new IamApi({ place, access: iam, faults, trace }, iam),
      kms: this.kms,
      lambda: this.lambda,
      logs: this.logs,
      monitoring: this.cloudWatch,
      scheduler: this.scheduler,
      secretsmanager: this.secretsManager,
      sns: this.sns,
      sqs: this.sqs,
      ssm: this.ssm,
      sts: this.sts,
    };
  }

  /** Attaches AWS's host names to the network, so that functions and clients reach them in AWS's own protocols. */
  private attachEndpoints(random: Random): void {
    const { place, iam, trace, timeline } = this;
    const { region, urlSuffix } = place;
    const apis = this.apis();
    for (const name of AWS_SERVICES) {
      const [model, service] = [MODELS[name], apis[name]];
      this.documentServices.set(model.sdkName, documentService(model, service));
      const { credentials } = iam;
      const api = awsHost({ model, service, credentials, random: random.stream(model.name), trace, timeline });
      const host = model === SNS_MODEL ? withSigningCertificate(place, api) : api;
      this.network.attach(`${model.name}.${region}.${urlSuffix}`, host);
      if (model.isGlobal) this.network.attach(`${model.name}.${urlSuffix}`, host);
    }
  }
}

/** Looks up parameters and secrets for templates, as an administrator. */
function referencesTo(ssm: Ssm, secrets: SecretsManager): References {
  return {
    parameter: Name => {
      const { Parameter: { Type, Value = '' } = {} } = ssm.call('GetParameter', ssm.owner, { Name });
      if (Type !== 'SecureString') return Value;
      throw new AwsError(
        'ValidationError',
        `Parameter ${Name} is a SecureString, which only an ssm-secure reference can resolve`,
      );
    },
    secret: ({ secretId: SecretId, versionStage: VersionStage, versionId: VersionId }) => {
      const asked = { SecretId, ...(VersionStage && { VersionStage }), ...(VersionId && { VersionId }) };
      const { SecretString } = secrets.call('GetSecretValue', secrets.owner, asked);
      if (SecretString !== undefined) return SecretString;
      throw new AwsError('ValidationError', `Secret ${SecretId} is binary and has no SecretString`);
    },
  };
}
