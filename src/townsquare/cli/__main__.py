from townsquare.cli import main

main()
