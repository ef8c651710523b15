"""Routes of projects and freelance jobs."""

from __future__ import annotations

from simulator.routes.table import Read, Write

ME = "/characters/{character_id}/freelance-jobs"
COMPANY = "/corporations/{corporation_id}"

ROWS: tuple[Read | Write, ...] = (
    Read(
        f"{COMPANY}/projects",
        lambda world, ids, at_s: world.projects.projects(ids[0], at_s),
        "corporation.projects",
    ),
    Read(
        f"{COMPANY}/projects/{{project_id}}",
        lambda world, ids, at_s: world.projects.project(ids[0], ids[1], at_s),
        "corporation.project",
        of="corporation.projects",
    ),
    Read(
        f"{COMPANY}/projects/{{project_id}}/contributors",
        lambda world, ids, at_s: world.projects.contributors(ids[0], ids[1], at_s),
        "corporation.project_contributors",
        of="corporation.projects",
    ),
    Read(
        f"{COMPANY}/freelance-jobs",
        lambda world, ids, at_s: world.projects.jobs(ids[0], at_s),
        "corporation.freelance_jobs",
    ),
    Read(
        f"{COMPANY}/freelance-jobs/{{job_id}}/participants",
        lambda world, ids, at_s: world.projects.participants(ids[0], ids[1], at_s),
        "corporation.freelance_participants",
        of="corporation.freelance_jobs",
    ),
    Read(
        ME,
        lambda world, ids, at_s: world.projects.jobs_of(ids[0], at_s),
        "character.freelance_jobs",
    ),
    Read(
        f"{ME}/{{job_id}}/participation",
        lambda world, ids, at_s: world.projects.participation(ids[0], ids[1], at_s),
        "character.freelance_participation",
        of="character.freelance_jobs",
    ),
    Read(
        "/freelance-jobs",
        lambda world, _, at_s: world.projects.public_jobs(at_s),
        "global.freelance_jobs",
    ),
    Read(
        "/freelance-jobs/{job_id}",
        lambda world, ids, at_s: world.projects.job(ids[0], at_s),
        "global.freelance_job",
    ),
)
