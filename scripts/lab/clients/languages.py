"""The models of config/clients in a folder, with the programs of Tests/Examples/clients and the
examples of the page."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from lab.shell import ROOT


class Defect(Exception):
    """A model is not what it must be."""


@dataclass
class Language:
    name: str
    # On the page.
    fence: str
    programs: list[str]
    # The places of the model, of other files, and of the page's example.
    files: list[str]
    example: str
    # Commands that must succeed without a word.
    checks: list[list[str]]
    # Writes what it reads.
    mirror: list[str]
    run_example: list[str]


PHP = ["php", "-d", "error_reporting=-1", "-d", "display_errors=stderr"]
LANGUAGES = [
    Language(
        *("python", "python", ["python3"], ["ipnd.py", "mirror.py"], "example.py"),
        [["python3", "-W", "error", "-m", "compileall", "-q", "."]],
        *(["python3", "mirror.py"], ["python3", "example.py"]),
    ),
    Language(
        *("typescript", "ts", ["node", "tsc"]),
        ["ipnd.ts", "typed.ts", "mirror.mjs", "example.mjs"],
        "example.ts",
        [
            [
                *("tsc", "--strict", "--exactOptionalPropertyTypes", "--noUnusedLocals"),
                *("--target", "es2020", "--module", "es2020", "--moduleResolution", "node"),
                *("ipnd.ts", "typed.ts", "example.ts"),
            ]
        ],
        *(["node", "mirror.mjs"], ["node", "example.mjs"]),
    ),
    Language(
        *("php", "php", ["php"], ["ipnd.php", "mirror.php"], "example.php"),
        [["php", "-l", "ipnd.php"], ["php", "-l", "example.php"]],
        *([*PHP, "mirror.php"], [*PHP, "example.php"]),
    ),
    Language(
        *("go", "go", ["go"], ["ipnd/ipnd.go", "mirror.go"], "example/main.go"),
        [["gofmt", "-l", "."], ["go", "vet", "./..."], ["go", "build", "-o", "mirror", "."]],
        *(["./mirror"], ["go", "run", "./example"]),
    ),
]


def installed():
    """The languages whose programs are there; reports the others."""
    for language in LANGUAGES:
        missing = [program for program in language.programs if not shutil.which(program)]
        if missing:
            print(f"SKIPPED: the model for {language.name}: {missing[0]} is not installed")
        else:
            yield language


class Workshop:
    """One language's model, checked and compiled in its own folder."""

    def __init__(self, language, folder):
        self.language, self.folder = language, folder
        for file in language.files:
            name = os.path.basename(file)
            source = "config/clients" if name.startswith("ipnd.") else "Tests/Examples/clients"
            self.write(file, text(f"{source}/{name}"))
        page = text("config/clients/README.md")
        example = re.search(rf"\n```{language.fence}\n(.*?\n)```", page, re.S)
        self.write(language.example, example[1])
        self.write("package.json", '{"type": "module"}')
        self.write("go.mod", "module example.com/shop\n\ngo 1.18\n")
        for check in language.checks:
            done = self.run(check)
            said = re.sub(r"^No syntax errors detected in .*\n", "", done.stdout + done.stderr)
            if done.returncode or said.strip():
                raise Defect(f"{' '.join(check)}: {said}")

    def write(self, file, content):
        os.makedirs(os.path.dirname(f"{self.folder}/{file}"), exist_ok=True)
        with open(f"{self.folder}/{file}", "w", encoding="utf-8") as opened:
            opened.write(content)

    def run(self, command, given=""):
        cache = f"{ROOT}/.build/go-cache"
        cache = cache if os.access(f"{ROOT}/.build", os.W_OK) else f"{self.folder}/go-cache"
        environment = {"GOPROXY": "off", "GOSUMDB": "off", "GOCACHE": cache}
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, **environment, "PYTHONDONTWRITEBYTECODE": "1"},
            input=given,
            capture_output=True,
            text=True,
        )

    def output(self, command, given):
        done = self.run(command, given)
        if done.returncode or done.stderr:
            raise Defect(f"{' '.join(command)}: {done.stderr or done.returncode}")
        return done.stdout.splitlines()


def text(path):
    with open(f"{ROOT}/{path}", encoding="utf-8") as file:
        return file.read()
