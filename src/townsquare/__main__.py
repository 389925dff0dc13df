"""python -m townsquare"""

from townsquare.cli import main

main()
