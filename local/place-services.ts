import { lastPart, nameInArn, parseArn } from '../policy/arn';
import { HOUR_MS } from '../policy/time-units';
import { ApiGateway, apiGatewayResourceTypes } from './apigateway';
import {
  type AnyResourceType,
  CloudFormation,
  type CloudFormationDependencies,
  type CustomResourceAnswers,
  type DeployTarget,
  type References,
  type ResponseBucket,
  type StackRecord,
  type StandIns,
} from './cloudformation';
import { CloudWatch, cloudWatchResourceTypes } from './cloudwatch';
import { DynamoDb, dynamoDbResourceTypes } from './dynamodb';
import { ec2ResourceTypes } from './ec2';
import { EventBridge, eventsResourceTypes } from './events';
import { Firehose, firehoseResourceTypes } from './firehose';
import { type Iam, IamApi, iamResourceTypes } from './iam';
import type { AccessControl, KeyAccess } from './kernel/access';
import { AwsError, notImplemented } from './kernel/aws-error';
import { AWS_SERVICES, type AwsService } from './kernel/aws-service';
import type { Faults } from './kernel/faults';
import type { Place } from './kernel/place';
import type { Random } from './kernel/random';
import type { Timeline } from './kernel/timeline';
import type { Recorder, Trace } from './kernel/trace';
import { type KeyStore, Kms, kmsResourceTypes } from './kms';
import { type Interruptions, Lambda, type LambdaActions, type LambdaOptions, lambdaResourceTypes } from './lambda';
import { type Functions, Logs, logsResourceTypes } from './logs';
import type { InMemoryNetwork } from './network/network';
import type { OutsideWorld } from './network/outside-world';
import { foreignResource, ownerOf, RoutedApi, resourceNamedIn } from './resource-owner';
import { EventBridgeScheduler, schedulerResourceTypes } from './scheduler';
import { SecretsManager, secretsManagerResourceTypes } from './secrets-manager';
import { type Recipients, Sns, type SnsActions, type SnsOptions, snsResourceTypes } from './sns';
import { Sqs, type SqsActions, sqsResourceTypes } from './sqs';
import { Ssm, ssmResourceTypes } from './ssm';
import { Sts } from './sts';
import type { AwsTraceEvent } from './trace-events';
import { documentService, MODELS, type WireService } from './wire';

/** What the services of all accounts and Regions share, and how they find each other. */
export interface SharedParts {
  readonly timeline: Timeline;
  readonly trace: Trace<AwsTraceEvent>;
  readonly faults: Faults;
  readonly outside: OutsideWorld;
  readonly network: InMemoryNetwork;
  readonly recipients: Recipients;
  readonly interruptions: Interruptions;
  readonly snsOptions: SnsOptions | undefined;
  readonly lambdaOptions: LambdaOptions | undefined;
  readonly standInRules: StandIns;
  readonly customResources: CustomResourceAnswers;
  /**
   * Returns the services of an account in a Region.
   *
   * @throws AwsError when the simulation does not have the account or the Region
   */
  in(account: string, region: string): PlaceServices;
  /** The stacks of all accounts and Regions, in the order of their creation. */
  readonly stackRecords: StackRecord[];
  /** The services of every account and Region that were needed so far. */
  readonly all: readonly PlaceServices[];
  /** Called whenever a queue of any account and Region is deleted. */
  readonly queueDeletions: Set<(queueArn: string) => void>;
}

/** What belongs to one account and Region, but is not one of its services. */
interface PlaceParts {
  readonly place: Place;
  readonly random: Random;
  /** IAM of the account. */
  readonly iam: Iam;
  readonly recorder: Recorder<AwsTraceEvent>;
  /** The bucket of the Region to which custom resources answer. */
  readonly bucket: ResponseBucket;
}

/** How many names are remembered with the services that they belong to. */
const MOST_NAMES = 10_000;

/** The services of one account in one Region, and the only place that connects services to each other. */
export class PlaceServices {
  readonly place: Place;
  readonly timeline: Timeline;
  readonly trace: Trace<AwsTraceEvent>;
  readonly faults: Faults;
  readonly outside: OutsideWorld;
  readonly network: InMemoryNetwork;
  readonly iam: Iam;
  readonly kms: Kms;
  readonly cloudWatch: CloudWatch;
  readonly dynamoDb: DynamoDb;
  readonly firehose: Firehose;
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
  readonly apis: Readonly<Record<AwsService, WireService>>;
  private readonly random: Random;
  private readonly routed: ReturnType<PlaceServices['routedServices']>;
  private readonly owners = new Map<string, PlaceServices>();
  private types: readonly AnyResourceType[] | undefined;
  private target: DeployTarget | undefined;

  constructor(
    private readonly shared: SharedParts,
    { place, random, iam, recorder, bucket }: PlaceParts,
  ) {
    this.place = place;
    this.iam = iam;
    this.random = random;
    this.timeline = shared.timeline;
    this.trace = shared.trace;
    this.faults = shared.faults;
    this.outside = shared.outside;
    this.network = shared.network;
    const { timeline, faults, network } = this;
    const access: AccessControl = { decide: request => iam.decideIn(place, request) };
    const base = { place, timeline, trace: recorder, faults, access };
    this.kms = new Kms({ ...base, random: random.stream('kms'), keysOfOthers: () => this.keysOfOthers() });
    const common = { ...base, keys: this.keysOfRegion() };
    this.routed = this.routedServices();
    const { queues, topics, functions } = this.routed;
    this.cloudWatch = new CloudWatch(
      { ...common, random: random.stream('cloudwatch') },
      { sns: () => topics, lambda: () => functions, events: () => this.events },
    );
    const context = (service: string) => ({ ...common, metrics: this.cloudWatch, random: random.stream(service) });
    const invoke: Functions['invoke'] = (FunctionName, caller, InvocationType, Payload) => {
      functions.call('Invoke', caller, { FunctionName, InvocationType, Payload });
    };
    this.logs = new Logs(context('logs'), { cloudWatch: this.cloudWatch, lambda: () => ({ invoke }) });
    this.sqs = new Sqs(context('sqs'));
    this.sqs.whenDeleted(queueArn => {
      for (const tell of shared.queueDeletions) tell(queueArn);
    });
    const { logs } = this;
    const { credentials } = iam;
    const { interruptions, recipients } = shared;
    this.lambda = new Lambda(
      context('lambda'),
      {
        sqs: queues,
        sns: () => topics,
        events: () => this.events,
        network,
        logs,
        credentials,
        roles: iam,
        interruptions,
        streamRetentionMs: streamArn => this.streamRetentionMs(streamArn),
      },
      shared.lambdaOptions,
    );
    this.dynamoDb = new DynamoDb(context('dynamodb'), { streams: this.lambda.streams });
    const targets = { sqs: queues, sns: topics, lambda: functions, roles: iam };
    const streams = (arn: string) => this.streamRefusal(arn);
    const directories = () => this.allInRegion().map(({ sns }) => sns.directory);
    this.sns = new Sns(
      context('sns'),
      { ...targets, network, logs, recipients, directories, streams },
      shared.snsOptions,
    );
    this.events = new EventBridge(context('events'), { ...targets, logs, busesAt: busArn => this.at(busArn).events });
    this.apiGateway = new ApiGateway(context('apigateway'), { network, logs, roles: iam, credentials, functions });
    this.firehose = new Firehose(context('firehose'));
    this.sts = new Sts(context('sts'), iam);
    this.secretsManager = new SecretsManager(context('secretsmanager'));
    this.ssm = new Ssm(context('ssm'), this.secretsManager);
    this.cloudFormation = new CloudFormation(context('cloudformation'), this.cloudFormationPorts(bucket));
    const services = new Map(
      AWS_SERVICES.map(name => [MODELS[name].sdkName, documentService(MODELS[name], this.regionalApi(name))]),
    );
    this.scheduler = new EventBridgeScheduler(context('scheduler'), { ...targets, events: this.events, services });
    this.apis = this.apisByName(base);
  }

  /**
   * Returns the services of the account and Region of a resource.
   *
   * @param name an ARN, a queue URL or an account @default - these services
   * @throws AwsError when the simulation does not have that account or Region
   */
  at(name: string | undefined): PlaceServices {
    if (name === undefined) return this;
    const known = this.owners.get(name);
    if (known) return known;
    const { account = this.place.account, region = this.place.region } = ownerOf(name);
    const services = this.shared.in(account, region);
    if (this.owners.size >= MOST_NAMES) this.owners.clear();
    this.owners.set(name, services);
    return services;
  }

  private streamRetentionMs(streamArn: string): number | undefined {
    const streams = this.cloudFormation.resourcesOfType('AWS::Kinesis::Stream');
    const hours = streams.find(({ attributes }) => attributes['Arn'] === streamArn)?.properties['RetentionPeriodHours'];
    return hours === undefined ? undefined : Number(hours) * HOUR_MS;
  }

  private streamRefusal(streamArn: string): AwsError | undefined {
    const arn = parseArn(streamArn);
    const services = this.allInRegion().find(({ place }) => place.account === arn?.account);
    return services?.firehose.state.refusalOf(lastPart(streamArn));
  }

  /** A service as clients of this account reach it in this Region: the resource may belong to another account. */
  regionalApi(name: AwsService): WireService {
    return {
      implements: action => this.apis[name].implements?.(action) ?? true,
      call: (action, caller, input) => {
        const foreign = foreignResource(name, input, this.place);
        if (foreign !== undefined) {
          throw notImplemented(`resources of another account or Region in ${name}:${String(action)} (${foreign})`);
        }
        return this.inRegion(resourceNamedIn(name, input)).apis[name].call(action, caller, input);
      },
    };
  }

  /** Every CloudFormation resource type the embedded AWS implements. */
  resourceTypes(): readonly AnyResourceType[] {
    this.types ??= [
      ...apiGatewayResourceTypes(this.apiGateway),
      ...cloudWatchResourceTypes(this.cloudWatch, this.place),
      ...dynamoDbResourceTypes(this.dynamoDb),
      ...ec2ResourceTypes(this.random.stream('ec2')),
      ...eventsResourceTypes(this.events),
      ...firehoseResourceTypes(this.firehose),
      ...iamResourceTypes(this.iam),
      ...kmsResourceTypes(this.kms),
      ...lambdaResourceTypes(this.lambda),
      ...logsResourceTypes(this.logs, this.place),
      ...schedulerResourceTypes(this.scheduler),
      ...secretsManagerResourceTypes(this.secretsManager),
      ...snsResourceTypes(this.sns, this.routed.topics),
      ...sqsResourceTypes(this.sqs),
      ...ssmResourceTypes(this.ssm),
    ];
    return this.types;
  }

  /** What CloudFormation deploys stacks with in this account and Region. */
  deployTarget(): DeployTarget {
    this.target ??= this.cloudFormation.target(this.resourceTypes(), this.random.stream('cloudformation'));
    return this.target;
  }

  /** The services of the resource's account in this Region. A resource of another Region does not exist here. */
  private inRegion(name: string | undefined): PlaceServices {
    const { account = this.place.account } = name === undefined ? {} : ownerOf(name);
    return account === this.place.account ? this : this.shared.in(account, this.place.region);
  }

  /** A key of another account is named by its ARN. SQS, SNS and others only use keys of their own Region. */
  private keysOfRegion(): KeyAccess {
    return {
      decide: (keyId, action, caller, viaService) => this.inRegion(keyId).kms.decide(keyId, action, caller, viaService),
    };
  }

  private allInRegion(): readonly PlaceServices[] {
    return this.shared.all.filter(({ place }) => place.region === this.place.region);
  }

  private keysOfOthers(): readonly KeyStore[] {
    return this.allInRegion().flatMap(services => (services === this ? [] : [services.kms.keys]));
  }

  /** The services that others call with a resource of any account and Region. */
  private routedServices() {
    const api = new RoutedApi<SqsActions>('sqs', name => this.at(name).sqs);
    const queues = {
      call: api.call.bind(api) as RoutedApi<SqsActions>['call'],
      queueByArn: (arn: string) => this.at(arn).sqs.queueByArn(arn),
      whenReceivable: (arn: string, listener: () => void) => this.at(arn).sqs.whenReceivable(arn, listener),
      whenDeleted: (listener: (queueArn: string) => void) => {
        this.shared.queueDeletions.add(listener);
      },
    };
    const topics = new RoutedApi<SnsActions>('sns', name => this.at(name).sns);
    const functions = new RoutedApi<LambdaActions>('lambda', name => this.at(name).lambda);
    return { queues, topics, functions };
  }

  private cloudFormationPorts(bucket: ResponseBucket): CloudFormationDependencies {
    const { functions, topics } = this.routed;
    const { shared, place } = this;
    return {
      functions: () => functions,
      topics: () => topics,
      functionLog: arn => {
        const { logs } = this.at(arn);
        return logs.events(`/aws/lambda/${nameInArn(arn)}`).map(({ message }) => message);
      },
      bucket,
      stackRecords: shared.stackRecords,
      deployTarget: () => this.deployTarget(),
      standIns: () => shared.standInRules,
      customResources: () => shared.customResources,
      runsFunction: arn => this.at(arn).lambda.runs(arn),
      stacksIn: region => shared.in(place.account, region).cloudFormation.values,
      references: referencesTo(this.ssm, this.secretsManager),
    };
  }

  private apisByName(context: ConstructorParameters<typeof IamApi>[0]): Readonly<Record<AwsService, WireService>> {
    return {
      cloudformation: this.cloudFormation,
      dynamodb: this.dynamoDb,
      events: this.events,
      firehose: this.firehose,
      iam: new IamApi(context, this.iam),
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
