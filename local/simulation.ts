import {
  type Assembly,
  allowsStandIns,
  type CustomResourceAnswers,
  type DeployedStack,
  type DeployInput,
  destroyStacks,
  type Environment,
  ResponseBucket,
  type StackRecord,
  type StandIn,
  type StandIns,
  updateAssembly,
} from './cloudformation';
import { Iam, Identities } from './iam';
import type { UnknownDecision } from './kernel/access';
import { type AwsError, OwnLimit } from './kernel/aws-error';
import { AWS_SERVICES, type AwsService } from './kernel/aws-service';
import { accountOf } from './kernel/caller';
import { Faults } from './kernel/faults';
import { type Place, placeIn } from './kernel/place';
import type { Random } from './kernel/random';
import { Timeline, type TimelineOptions } from './kernel/timeline';
import { placeRecorder, Trace, type TraceOptions } from './kernel/trace';
import { Interruptions, type LambdaOptions } from './lambda';
import { type Host, InMemoryNetwork } from './network/network';
import { OutsideWorld } from './network/outside-world';
import { PlaceServices, type SharedParts } from './place-services';
import { Recipients, type SnsOptions, withSigningCertificate } from './sns';
import type { AwsTraceEvent } from './trace-events';
import {
  awsHost,
  Forwarder,
  faultyActions,
  MODELS,
  OtherServices,
  SNS_MODEL,
  unsimulatedServices,
  type WireService,
} from './wire';

const ROLE_TYPE = 'AWS::IAM::Role';

type AccountInRegion = Pick<Place, 'account' | 'region'>;

export interface SimulationOptions {
  /** The default account and Region. */
  readonly place: Place;
  /** Other accounts and Regions. Every account exists in every Region. @default - none */
  readonly places?: readonly AccountInRegion[] | undefined;
  readonly random: Random;
  /** Milliseconds since the Unix epoch. */
  readonly startAtMs: number;
  readonly timeline?: TimelineOptions | undefined;
  readonly trace?: TraceOptions | undefined;
  readonly sns?: SnsOptions | undefined;
  readonly lambda?: LambdaOptions | undefined;
  /** What to do with what is not simulated. @default refuse */
  readonly standIns?: StandIns | undefined;
  readonly customResources?: CustomResourceAnswers | undefined;
}

/**
 * One simulation of AWS: its accounts and Regions share the clock, the trace, faults and the network. The services of an
 * account in a Region are created when they are first needed. Random streams are named by account and Region, except
 * those of the default place, so that another account does not change what happens there.
 */
export class Simulation implements SharedParts {
  readonly timeline: Timeline;
  readonly trace: Trace<AwsTraceEvent>;
  readonly faults: Faults;
  readonly outside: OutsideWorld;
  readonly network: InMemoryNetwork;
  /** The services that are not simulated, but answered by a scenario or forwarded. */
  readonly otherServices: OtherServices;
  readonly recipients: Recipients;
  readonly interruptions: Interruptions;
  readonly snsOptions: SnsOptions | undefined;
  readonly lambdaOptions: LambdaOptions | undefined;
  readonly standInRules: StandIns;
  readonly customResources: CustomResourceAnswers;
  readonly stackRecords: StackRecord[] = [];
  readonly queueDeletions = new Set<(queueArn: string) => void>();
  /** The services of the default account in the default Region. */
  readonly home: PlaceServices;
  private readonly accounts = new Set<string>();
  private readonly regions = new Set<string>();
  private readonly random: Random;
  private readonly identities = new Identities();
  private readonly iamByAccount = new Map<string, Iam>();
  private readonly bucketByRegion = new Map<string, ResponseBucket>();
  private readonly byPlace = new Map<string, PlaceServices>();
  /** DynamoDB by Region. */
  private readonly dynamoDbHosts = new Map<string, Host>();

  constructor(private readonly options: SimulationOptions) {
    const { place, places = [], random, startAtMs, timeline, trace, sns, lambda, standIns = 'refuse' } = options;
    this.customResources = options.customResources ?? {};
    this.random = random;
    this.snsOptions = sns;
    this.standInRules = standIns;
    this.lambdaOptions = lambda;
    this.timeline = new Timeline(startAtMs, timeline);
    this.trace = new Trace(this.timeline, trace);
    this.faults = new Faults(this.timeline, faultyActions);
    this.recipients = new Recipients(this.timeline);
    this.interruptions = new Interruptions(nameOrArn => this.functionArn(nameOrArn));
    this.outside = new OutsideWorld(this.timeline, host => this.network.has(host));
    this.otherServices = this.makeOtherServices();
    this.network = new InMemoryNetwork(this.makeUnsimulatedServices(), this.outside);
    this.accounts.add(place.account);
    this.regions.add(place.region);
    this.home = this.in(place.account, place.region);
    this.attachEndpoints(place.region);
    this.attachAccounts();
    for (const one of places) this.declare(one);
  }

  private declare({ account, region }: AccountInRegion): void {
    this.accounts.add(account);
    this.attachAccounts();
    if (this.regions.has(region)) return;
    this.regions.add(region);
    this.attachEndpoints(region);
    this.attachAccounts();
  }

  /** The default account and Region. */
  get place(): Place {
    return this.options.place;
  }

  /** The services of every account and Region that were needed so far; those of the default place first. */
  get all(): readonly PlaceServices[] {
    return [...this.byPlace.values()];
  }

  isDeclared(account: string, region: string): boolean {
    return this.accounts.has(account) && this.regions.has(region);
  }

  in(account: string, region: string): PlaceServices {
    const key = `${account}/${region}`;
    const known = this.byPlace.get(key);
    if (known) return known;
    if (!this.accounts.has(account)) throw this.undeclared(`the account ${account}`);
    if (!this.regions.has(region)) throw this.undeclared(`the Region ${region}`);
    const made = this.make(this.placeOf(account, region));
    this.byPlace.set(key, made);
    return made;
  }

  /**
   * Deploys the stacks of an assembly, each to its account and Region.
   *
   * @throws AssemblyError with every problem found
   */
  deploy(assembly: Assembly, { parameters }: Pick<DeployInput, 'parameters'> = {}): Promise<readonly DeployedStack[]> {
    const { home, place } = this;
    return home.cloudFormation.deploy(assembly, {
      target: home.deployTarget(),
      parameters,
      standIns: this.standInRules,
      targetIn: ({ account = place.account, region = place.region }) => this.in(account, region).deployTarget(),
    });
  }

  /** The stacks of all accounts and Regions, those that nest in others before these. */
  get stacks(): readonly DeployedStack[] {
    return this.all.flatMap(({ cloudFormation }) => cloudFormation.stacks);
  }

  /** What the deployed stacks have that is not simulated, and the decisions about access that are unknown. */
  get standIns(): readonly StandIn[] {
    const decisions = [...this.identities.unknownDecisions.values()].map(it => this.unknownDecision(it));
    return [...this.all.flatMap(({ cloudFormation }) => cloudFormation.standIns), ...decisions];
  }

  /** The role may belong to a stack or not. */
  private unknownDecision(decision: UnknownDecision): StandIn {
    const { roleArn, policyArns, action, resource } = decision;
    const roles = this.all.flatMap(({ cloudFormation }) => cloudFormation.resourcesOfType(ROLE_TYPE));
    const { stackName: stack = '', logicalId = '' } = roles.find(it => it.attributes['Arn'] === roleArn) ?? {};
    const reason =
      `${action} on ${resource} by ${roleArn} is allowed here, and unknown on AWS: ` +
      `the document of ${policyArns.join(' and ')} is not known`;
    return { stack, logicalId, type: ROLE_TYPE, what: 'decision', decision, reason };
  }

  /**
   * Updates the stacks of an assembly, each in its account and Region.
   *
   * @returns the names of the stacks that were created or changed
   * @throws AssemblyError for what is not accepted, before anything changes
   * @throws StackFailed after the rollback of a stack
   */
  update(assembly: Assembly, parameters: Readonly<Record<string, string>>, ms?: number): Promise<readonly string[]> {
    const { place } = this;
    const { account: own, region: here } = place;
    for (const { environment } of assembly.stacks) this.declare({ account: own, region: here, ...environment });
    const engineOf = ({ account = place.account, region = place.region }: Environment) =>
      this.in(account, region).cloudFormation.engine(ms);
    return updateAssembly(engineOf, assembly, parameters);
  }

  /** Deletes stacks, all if no name is given. @throws AssemblyError, StackFailed */
  destroy(stackNames: readonly string[], ms?: number): Promise<void> {
    const engines = this.all.map(({ cloudFormation }) => cloudFormation.engine(ms));
    return destroyStacks(engines, stackNames);
  }

  /** Ends what moves time, and the threads of all functions. */
  async close(): Promise<void> {
    this.timeline.close();
    await Promise.all(this.all.map(({ lambda }) => lambda.close()));
  }

  private makeOtherServices(): OtherServices {
    const { timeline, trace } = this;
    const { credentials } = this.iamOf(this.place.account);
    const random = this.random.stream('other-services');
    return new OtherServices({ credentials, timeline, trace, forwarder: new Forwarder(timeline), random });
  }

  private makeUnsimulatedServices(): Host {
    const { place, regions, outside, trace, otherServices: services } = this;
    return unsimulatedServices({ place, regions, outside, services, trace, random: this.random.stream('elsewhere') });
  }

  private make(place: Place): PlaceServices {
    const { account, region } = place;
    const { place: home } = this;
    const isHome = account === home.account && region === home.region;
    const random = isHome ? this.random : this.random.stream(`${account}/${region}`);
    const recorder = placeRecorder(this.trace, place, home);
    const iam = this.iamOf(account);
    return new PlaceServices(this, { place, random, iam, recorder, bucket: this.bucketOf(region) });
  }

  /** The default place may have a partition and host names of its own. */
  private placeOf(account: string, region: string): Place {
    const { place } = this;
    return region === place.region ? { ...place, account } : placeIn(account, region);
  }

  private iamOf(account: string): Iam {
    const known = this.iamByAccount.get(account);
    if (known) return known;
    const { place: home, timeline, trace } = this;
    const place = { ...home, account };
    const random = (account === home.account ? this.random : this.random.stream(account)).stream('iam');
    const recorder = placeRecorder(trace, place, home);
    const allowsUnknownPolicies = allowsStandIns(this.standInRules)(ROLE_TYPE);
    const iam = new Iam({ place, timeline, trace: recorder, random, allowsUnknownPolicies }, this.identities);
    this.iamByAccount.set(account, iam);
    return iam;
  }

  private bucketOf(region: string): ResponseBucket {
    const known = this.bucketByRegion.get(region);
    if (known) return known;
    const bucket = new ResponseBucket(this.placeOf(this.place.account, region));
    this.network.attach(bucket.hostName, bucket.answer);
    this.bucketByRegion.set(region, bucket);
    return bucket;
  }

  /** Attaches a Region's host names to the network, so that functions and clients reach AWS in AWS's own protocols. */
  private attachEndpoints(region: string): void {
    const { timeline } = this;
    const place = this.placeOf(this.place.account, region);
    const isHome = region === this.place.region;
    const random = this.random.stream(isHome ? 'wire' : `${region}/wire`);
    const trace = placeRecorder(this.trace, place, this.place);
    const { credentials } = this.home.iam;
    for (const name of AWS_SERVICES) {
      const model = MODELS[name];
      const service = this.apiIn(region, name);
      const ids = random.stream(model.name);
      const api = awsHost({ model, service, credentials, region, random: ids, trace, timeline });
      const host =
        model === SNS_MODEL ? withSigningCertificate(place, api) : this.otherServices.inFrontOf(name, region, api);
      if (name === 'dynamodb') this.dynamoDbHosts.set(region, host);
      // Clients that reach AWS at a port are passed on by the host names of the default Region.
      for (const suffix of [place.urlSuffix, this.place.urlSuffix]) {
        for (const label of [model.name, ...(model.secondApi?.hosts ?? [])]) {
          this.network.attach(`${label}.${region}.${suffix}`, host);
        }
      }
      if (model.isGlobal && isHome) this.network.attach(`${model.name}.${place.urlSuffix}`, host);
    }
  }

  /**
   * Attaches DynamoDB's host names for single accounts. The SDK uses them when it knows the account, for example from the ARN of a
   * table.
   */
  private attachAccounts(): void {
    for (const [region, host] of this.dynamoDbHosts) {
      const { urlSuffix } = this.placeOf(this.place.account, region);
      for (const account of this.accounts) this.network.attach(`${account}.ddb.${region}.${urlSuffix}`, host);
    }
  }

  /** A service of a Region, as the caller's account sees it. */
  private apiIn(region: string, name: AwsService): WireService {
    return {
      implements: action => this.home.apis[name].implements?.(action) ?? true,
      call: (action, caller, input) =>
        this.in(accountOf(caller) ?? this.place.account, region)
          .regionalApi(name)
          .call(action, caller, input),
    };
  }

  /** The ARN of the function with this name or ARN, in the first account and Region that has it. */
  private functionArn(nameOrArn: string): string | undefined {
    for (const { lambda } of this.all) {
      const arn = lambda.findFunction(nameOrArn)?.arn;
      if (arn !== undefined) return arn;
    }
    return undefined;
  }

  private undeclared(what: string): AwsError {
    const has = `${listed('account', this.accounts)} and ${listed('Region', this.regions)}`;
    const remedy = 'Name others in the env of a stack, or in the option places.';
    return new OwnLimit(`This simulation has ${has}, and not ${what}. ${remedy}`);
  }
}

function listed(noun: string, names: ReadonlySet<string>): string {
  return `the ${noun}${names.size === 1 ? '' : 's'} ${[...names].join(', ')}`;
}
