"""One universe: everything that exists, for a seed and a number of characters."""

from __future__ import annotations

from simulator.config import SimulatorConfig
from simulator.universe.abyssals import Abyssals
from simulator.universe.affairs import Affairs
from simulator.universe.assets import Assets
from simulator.universe.bazaar import Bazaar
from simulator.universe.clones import Clones
from simulator.universe.company import Company
from simulator.universe.contacts import Contacts
from simulator.universe.contracts import Contracts
from simulator.universe.fittings import Fittings
from simulator.universe.holdings import Holdings
from simulator.universe.industry import Industry
from simulator.universe.killmails import Killmails
from simulator.universe.mail import Mailboxes
from simulator.universe.market import Market
from simulator.universe.merits import Merits
from simulator.universe.moons import Moons
from simulator.universe.outposts import Outposts
from simulator.universe.people import Population
from simulator.universe.projects import Projects
from simulator.universe.public_contracts import PublicContracts
from simulator.universe.skills import Skills
from simulator.universe.social import Social
from simulator.universe.sovereignty import Sovereignty
from simulator.universe.structures import Structures
from simulator.universe.telemetry import Telemetry
from simulator.universe.wallet import Wallets
from simulator.universe.wars import Wars


class World:
    """The parts of a universe; each is made when it is first asked for."""

    def __init__(self, config: SimulatorConfig, start_s: float) -> None:
        self.start_s = int(start_s)
        self.people = Population(config.seed, config.characters, self.start_s)
        self.wallets = Wallets(self.people)
        self.assets = Assets(self.people, config.page_size)
        self.abyssals = Abyssals(self.people, self.assets)
        self.skills = Skills(self.people)
        self.mail = Mailboxes(self.people)
        self.market = Market(self.people)
        self.clones = Clones(self.people)
        self.industry = Industry(self.people, self.assets)
        self.social = Social(self.people)
        self.contacts = Contacts(self.people)
        self.contracts = Contracts(self.people)
        self.merits = Merits(self.people)
        self.fittings = Fittings(self.people)
        self.company = Company(self.people)
        self.structures = Structures(self.people, self.company)
        self.holdings = Holdings(self.people)
        self.projects = Projects(self.people)
        self.outposts = Outposts(self.people)
        self.moons = Moons(self.people)
        self.killmails = Killmails(self.people)
        self.telemetry = Telemetry(self.people, self.assets)
        self.sovereignty = Sovereignty(self.people)
        self.affairs = Affairs(self.people)
        self.bazaar = Bazaar(self.people)
        self.wars = Wars(self.people, self.killmails)
        self.public_contracts = PublicContracts(self.people)
        self.downtime = False
        self.images_url = "https://images.evetech.net"
